resource "watertight_retention" "stream_messages" {
  table                  = "main.events.stream_messages"
  rolling_window         = "24h"
  event_time             = "context_updatedAt"
  expire_by              = "external"
  deleted_file_retention = "7d"
  log_retention          = "30d"
}
