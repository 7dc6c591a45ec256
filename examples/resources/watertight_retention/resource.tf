# Something outside Terraform deletes rows after a day. Only the promise, and how long deleted rows can be read, are set.
resource "watertight_retention" "stream_messages" {
  table                  = "main.events.stream_messages"
  rolling_window         = "24h"
  event_time             = "context_updatedAt"
  expire_by              = "external"
  deleted_file_retention = "7d"
  log_retention          = "30d"
}
