// Package interval reads and writes lengths of time as people, Delta Lake and
// Databricks write them, so that they are compared as durations and never as
// text: "7 days", "interval 168 hours" and "1 week" are one length.
//
// Months and years have no fixed length and are refused. The package knows no
// calendar and no time zone.
package interval
