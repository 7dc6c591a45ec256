# A job that a bundle, the databricks provider or a person made: it has no contract, so that is declared here.
data "watertight_loader_job" "copy" {
  name         = "copy_messages"
  source       = "main.events.stream_messages"
  target       = "main.events.messages"
  settle_delay = "30m"
}

data "watertight_retention" "stream_messages" {
  table          = "main.events.stream_messages"
  rolling_window = "24h"
}

resource "watertight_optimize_job" "messages" {
  name             = "optimize_messages"
  table            = "main.events.messages"
  loader           = data.watertight_loader_job.copy
  retention        = data.watertight_retention.stream_messages
  window           = { quartz_cron_expression = "0 0 2 ? * SUN", timezone_id = "UTC", duration = "2h" }
  minimum_headroom = "4h"
}
