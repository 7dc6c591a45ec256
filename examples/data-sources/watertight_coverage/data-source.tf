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

# What if the loader were paused for six hours?
data "watertight_coverage" "six_hours" {
  loader    = data.watertight_loader_job.copy
  retention = data.watertight_retention.stream_messages
  pause     = "6h"

  lifecycle {
    postcondition {
      condition     = self.verdict == "holds" && self.headroom_seconds >= 4 * 3600
      error_message = self.explanation
    }
  }
}

output "headroom" {
  value = data.watertight_coverage.six_hours.headroom
}
