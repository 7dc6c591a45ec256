// Package schedule turns Quartz cron expressions into instants, exactly as
// Quartz does, and finds the longest gap between them.
//
// Vocabulary: a fire is an instant at which a trigger starts a job; a Sequence
// is the fires of one trigger; a gap is the time between two consecutive
// fires. Wall times that a daylight saving change skips do not fire; wall
// times it repeats fire once, at their second instant.
//
// The zone data is embedded (the time zone database 2025c as distributed with
// Go; the database is in the public domain), so answers depend neither on the
// machine nor on its environment.
//
// The package has no clock: whoever asks brings the instant. It does not know
// jobs, pauses or maintenance windows.
package schedule
