# A job deletes the rows that are older than a day and have been loaded. What is not loaded stays, however long it takes.
resource "watertight_retention" "purge_job" {
  table          = "main.events.stream_messages"
  rolling_window = "24h"
  event_time     = "context_updatedAt"
  expire_by      = "purge_job"
  loaded_by      = watertight_loader_job.messages
  purge = {
    quartz_cron_expression = "0 20 * * * ?"
    timezone_id            = "UTC"
    max_duration           = "30m"
  }
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
