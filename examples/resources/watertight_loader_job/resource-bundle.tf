# A job as a bundle has it. What an attribute owns may stand in settings too, as long as both say the same.
locals {
  job = yamldecode(file("${path.module}/databricks.yml")).resources.jobs.load_messages
}

resource "watertight_loader_job" "messages" {
  name         = local.job.name
  schedule     = local.job.schedule
  max_duration = "${local.job.timeout_seconds}s"
  settings     = local.job

  source       = "main.events.stream_messages"
  target       = "main.events.messages"
  key          = { partition = "technical_partition", sequence = "technical_sequenceNumber" }
  event_time   = "context_updatedAt"
  settle_delay = "30m"
}
