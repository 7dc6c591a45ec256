# By the job's id, or by its exact name.
terraform import watertight_loader_job.messages 123456789
terraform import watertight_loader_job.messages load_messages
