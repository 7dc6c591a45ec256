# 47 hours: 02:00 does not exist in Berlin on 29 March 2026, so nothing starts that day.
output "longest_gap_hours" {
  value = provider::watertight::longest_gap("0 0 2 * * ?", "Europe/Berlin", "2026-03-02T00:00:00Z") / 3600
}
