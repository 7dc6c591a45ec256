# By the name of the table.
import {
  to = watertight_retention.stream_messages
  id = "main.events.stream_messages"
}
