variable "window_duration" {
  description = "How long the window for OPTIMIZE lasts."
  type        = string
  default     = "2h"
}

variable "loader_during_window" {
  description = "Whether the loader goes on during the window: running or paused."
  type        = string
  default     = "running"
}
