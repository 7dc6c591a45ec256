# Refuse a schedule under which rows would expire before any plan of a resource does.
variable "schedule" {
  type    = string
  default = "0 0/15 * * * ?"

  validation {
    condition = provider::watertight::headroom({
      rolling_window         = "24h"
      settle_delay           = "30m"
      quartz_cron_expression = var.schedule
      timezone_id            = "UTC"
      max_duration           = "20m"
      pause                  = "6h"
    }, plantimestamp()) >= 4 * 3600
    error_message = "A pause of six hours must leave four hours of headroom: start the loader more often."
  }
}

output "headroom_hours" {
  value = provider::watertight::headroom({
    rolling_window         = "24h"
    settle_delay           = "30m"
    quartz_cron_expression = var.schedule
    timezone_id            = "UTC"
    max_duration           = "20m"
  }, "2026-03-02T00:00:00Z") / 3600
}
