# Terraform 1.12 and later. With host, an import into another workspace is refused.
import {
  to = watertight_retention.stream_messages
  identity = {
    table = "main.events.stream_messages"
    host  = "https://my-workspace.cloud.databricks.com"
  }
}
