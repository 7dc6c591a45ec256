resource "watertight_optimize_job" "messages" {
  name                 = "optimize_messages"
  table                = "main.events.messages"
  loader               = watertight_loader_job.messages
  retention            = watertight_retention.stream_messages
  window               = { quartz_cron_expression = "0 0 2 ? * SUN", timezone_id = "UTC", duration = "2h" }
  loader_during_window = "running"
  minimum_headroom     = "4h"
  zorder_by            = ["technical_partition"]
  vacuum               = {}
}

resource "watertight_loader_job" "messages" {
  name         = "load_messages"
  source       = "main.events.stream_messages"
  target       = "main.events.messages"
  key          = { partition = "technical_partition", sequence = "technical_sequenceNumber" }
  event_time   = "context_updatedAt"
  settle_delay = "30m"
  schedule     = { quartz_cron_expression = "0 0/15 * * * ?", timezone_id = "UTC" }
  max_duration = "20m"
  settings = {
    tasks = [{ task_key = "load", sql_task = { file = { path = "/Shared/load_messages.sql" } } }]
  }
}

resource "watertight_retention" "stream_messages" {
  table          = "main.events.stream_messages"
  rolling_window = "24h"
  event_time     = "context_updatedAt"
}
