resource "watertight_loader_job" "messages" {
  name         = "load_messages"
  source       = "main.events.stream_messages"
  target       = "main.events.messages"
  key          = { partition = "technical_partition", sequence = "technical_sequenceNumber" }
  event_time   = "context_updatedAt"
  settle_delay = "30m"
  settle_clock = "newest_event"
  schedule     = { quartz_cron_expression = "0 0/15 * * * ?", timezone_id = "UTC" }
  max_duration = "20m"

  # Any other field of the Jobs API, written as the API has it.
  settings = {
    tasks = [{
      task_key = "load"
      sql_task = { file = { path = "/Shared/load_messages.sql" } }
    }]
    email_notifications = { on_failure = ["data-platform@example.com"] }
  }
}
