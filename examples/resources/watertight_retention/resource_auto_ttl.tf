# Databricks' Auto-TTL deletes rows, some time after two days have passed: what is not loaded by then is lost.
resource "watertight_retention" "auto_ttl" {
  table          = "main.events.stream_messages"
  rolling_window = "2 days"
  event_time     = "context_updatedAt"
  expire_by      = "auto_ttl"
}
