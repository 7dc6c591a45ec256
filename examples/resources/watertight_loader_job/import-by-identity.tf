# Terraform 1.12 and later. With host, an import into another workspace is refused.
import {
  to = watertight_loader_job.messages
  identity = {
    id   = "123456789"
    host = "https://my-workspace.cloud.databricks.com"
  }
}
