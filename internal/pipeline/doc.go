// Package pipeline holds the use cases: check a job's coverage, run it, wait for it, verify what it did, show its state,
// pause and resume it. Each is a function over a workspace, which it sees through the small interfaces of this package,
// and a Waiter for time. They print nothing and keep nothing; what they find is a value.
//
// A verification here is the asking half of package reconcile: statements go to the warehouse, rows are streamed
// through, and lists that may grow with the data are kept in a temporary file. No file outlives its Verification.
package pipeline
