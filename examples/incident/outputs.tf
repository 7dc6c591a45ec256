output "headroom" {
  description = "How much longer a row stays readable than it can wait to be read."
  value       = watertight_optimize_job.messages.headroom
}

output "next_window" {
  description = "Start of the next window for OPTIMIZE."
  value       = watertight_optimize_job.messages.next_window
}
