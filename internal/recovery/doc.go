// Package recovery says where a missing row can still be read, until when, and which statement brings it back. It asks
// nobody: whether a place really holds the rows is found by running its Probe, never by trusting a history, which lists
// versions whose files are gone.
//
// Vocabulary. A place is something that rows may be read from: the source as it is, an earlier version of it, its change
// feed, a backup the user names, the broker. A probe reads the keys of the wanted ranges at a place, and so the files
// that hold them; a count alone would be answered from statistics. A step is one statement that inserts into the target
// what a place holds of the wanted ranges and the target lacks, so that running it twice adds nothing.
//
// No step restores a table, skips files that are missing, or moves the loader's position. A row that the loader can still
// read is never inserted: the loader would read it again.
package recovery
