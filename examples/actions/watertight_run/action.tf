# Load once after the job was made or changed: Terraform 1.14 or newer.
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

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.watertight_run.load]
    }
  }
}

action "watertight_run" "load" {
  config {
    job = "load_messages"
  }
}
