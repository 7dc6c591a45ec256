resource "watertight_loader_job" "messages" {
  name         = "load_messages"
  source       = "main.events.stream_messages"
  target       = "main.events.messages"
  key          = { partition = "technical_partition", sequence = "technical_sequenceNumber" }
  event_time   = "context_updatedAt"
  settle_delay = "30m"
  settle_clock = "newest_event"
  strict       = true
  schedule     = { quartz_cron_expression = "0 0/15 * * * ?", timezone_id = "UTC" }
  max_duration = "20m"
  settings = {
    tasks = [{ task_key = "load", sql_task = { file = { path = "/Shared/load_messages.sql" } } }]
  }
}

data "watertight_counts" "messages" {
  job = watertight_loader_job.messages.id
}

# In a check block missing rows are a warning of every plan and apply, and stop none.
check "no_row_is_missing" {
  assert {
    condition     = data.watertight_counts.messages.verdict == "PASS"
    error_message = data.watertight_counts.messages.explanation
  }
}
