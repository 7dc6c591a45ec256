# The next three maintenance windows, in UTC.
output "next_windows" {
  value = provider::watertight::next_runs("0 0 2 ? * SUN", "Europe/Berlin", "2026-03-02T00:00:00Z", 3)
}
