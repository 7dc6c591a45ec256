// Package evidence is what verification keeps of what it saw: keys and ranges, never a payload. It holds the shape of
// the four tables, the statements that make, fill and read them, and the same records as lines of JSON for those who keep
// them in a file. It runs none of the statements and opens no file.
//
// Vocabulary. A run record says what one verification read and found. A manifest is the key ranges of the source at one
// version. The ledger lists the stretches of the target that hold every sequence exactly once. A finding is a
// range that was missing, doubled or accepted; later records of one finding replace earlier ones, and none is deleted.
//
// Every table is only ever appended to, each time in one statement, so two verifiers at once lose nothing of each
// other's. Records of several loaders share the tables: each carries the loader's scope.
package evidence
