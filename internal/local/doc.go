// Package local is a Databricks workspace in one process: the REST API the SDK speaks, on loopback, over an SQL engine that
// holds real tables, with a virtual clock. It exists so that everything Watertight does can be done for real on a
// laptop, and so that tests never answer a request by hand.
//
// Vocabulary: the book is what survives a restart (jobs, runs, files, clock, feed); a route is a path pattern such as
// /api/2.2/jobs/run-now; a fault is an answer given in place of the real one; the feed puts events into the source; a
// script is a list of states that a run walks through instead of running.
//
// The virtual clock is the only clock the product can see. It moves by a millisecond with each commit and each start of
// a run, and otherwise only by Advance, which plays in time order everything that falls due: feed, expiry, triggers.
//
// It does not model permissions beyond a denied job, compute, or any API that Watertight does not call: such routes
// answer as Databricks answers an unknown path, and tasks it cannot run fail with their kind in the message.
package local
