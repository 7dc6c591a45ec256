# By the name of the table.
terraform import watertight_retention.stream_messages main.events.stream_messages
