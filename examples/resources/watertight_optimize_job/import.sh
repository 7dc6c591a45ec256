# By the job's id, or by its exact name. The links are not in the job: the first plan shows them.
terraform import watertight_optimize_job.messages 987654321
terraform import watertight_optimize_job.messages optimize_messages
