# A job as `databricks jobs get 848320184911 --output json > job.json` prints it.
locals {
  job = jsondecode(file("${path.module}/job.json")).settings
}

resource "watertight_loader_job" "messages" {
  name         = local.job.name
  schedule     = local.job.schedule
  max_duration = "${local.job.timeout_seconds}s"
  settings     = local.job

  source     = "main.events.stream_messages"
  target     = "main.events.messages"
  key        = { partition = "technical_partition", sequence = "technical_sequenceNumber" }
  event_time = "context_updatedAt"
}
