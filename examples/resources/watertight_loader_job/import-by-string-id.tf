# By the job's id, or by its exact name.
import {
  to = watertight_loader_job.messages
  id = "load_messages"
}
