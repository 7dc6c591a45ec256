# The incident: a loader copies settled rows out of a table that keeps them for a day, and people pause it to optimize the
# table it writes to. Only the DATABRICKS_* variables are needed:
#
#   watertight local serve                 # in another terminal; or a workspace of your own
#   eval "$(watertight local env)"
#   terraform apply
#
# This is the plan that would have lost the rows. It is refused:
#
#   terraform plan -var window_duration=25h -var loader_during_window=paused

terraform {
  required_providers {
    watertight = {
      source = "registry.terraform.io/watertight-data/watertight"
    }
  }
}

provider "watertight" {}

resource "watertight_loader_job" "messages" {
  name         = "load_messages"
  source       = "main.events.stream_messages"
  target       = "main.events.messages"
  key          = { partition = "technical_partition", sequence = "technical_sequenceNumber" }
  event_time   = "context_updatedAt"
  settle_delay = "30m"
  settle_clock = "newest_event"
  strict       = true
  evidence     = "main.ops" # a schema that exists: verification keeps there what it saw
  schedule     = { quartz_cron_expression = "0 0/15 * * * ?", timezone_id = "UTC" }
  max_duration = "20m"

  settings = {
    tasks = [{
      task_key = "load"
      sql_task = { file = { path = "/Shared/load_messages.sql" } }
    }]
  }
}

resource "watertight_retention" "stream_messages" {
  table                  = "main.events.stream_messages"
  rolling_window         = "24h"
  event_time             = "context_updatedAt"
  expire_by              = "external"
  deleted_file_retention = "7d"
  log_retention          = "30d"
}

resource "watertight_optimize_job" "messages" {
  name                 = "optimize_messages"
  table                = "main.events.messages"
  loader               = watertight_loader_job.messages
  retention            = watertight_retention.stream_messages
  window               = { quartz_cron_expression = "0 0 2 ? * SUN", timezone_id = "UTC", duration = var.window_duration }
  loader_during_window = var.loader_during_window
  minimum_headroom     = "4h"
  zorder_by            = ["technical_partition"]
  vacuum               = {}
}
