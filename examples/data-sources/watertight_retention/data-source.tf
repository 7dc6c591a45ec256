# A table whose rows somebody else expires after a day; what the table says of itself needs no attribute here.
data "watertight_retention" "stream_messages" {
  table          = "main.events.stream_messages"
  rolling_window = "24h"
}

output "recoverable_for" {
  value = data.watertight_retention.stream_messages.recoverable_for
}
