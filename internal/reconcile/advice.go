package reconcile

import "fmt"

// remedies say what keeps a cause from losing, or doubling, further rows. A cause without one needs none, or says it all.
func remedies() []struct{ cause, text string } {
	return []struct{ cause, text string }{
		{CauseExpiredUnread, "the loader came too late: watertight check says how long it may stand still; a watertight_optimize_job linked to it refuses the plan that pauses it longer"},
		{CauseWatermarkPassed, "the loader chooses rows by event time and moves its position by sequence: let the position stop below the lowest sequence of a row that is not due yet, or choose and move by one column"},
		{CauseBatchLost, "the loader saved its position without its rows: write both in one commit, or take the position from the rows that the target has"},
		{CauseIsolated, "a run wrote its batch without some of its rows: look for a filter, a deduplication or a MERGE whose key is not the one in the contract"},
		{CauseNewPartition, "the loader begins partitions that it does not know behind their first rows: begin them at the earliest"},
		{CauseIdlePartition, "the loader's position of the partition stands still: a maximum over no rows is NULL and must leave the position as it was"},
		{CauseSilence, "no event came for longer than the window bears: declare longest_silence, lengthen the window, or let the loader take the wall clock"},
		{CauseSourceShrank, "rows left the source before the window declared for it: raise its retention, or declare the window that it has"},
		{CauseDeleted, "the target lost rows that it had: its history names the commit; watertight recover brings back what can still be read"},
		{CauseUnread, "the loader is behind: look whether it is paused, fails, or takes fewer rows a run than arrive"},
		{CauseSameRun, "a run wrote rows twice: the batch repeats keys, or a task was retried after its write; take one row of each key before the write"},
		{CauseTwoRuns, "two runs wrote the same rows: use MERGE by key, or txnAppId and txnVersion, so that a batch written again changes nothing"},
	}
}

// Advice is what to do about the causes that were found, with how many rows each has.
func Advice(rows map[string]int64) []Reason {
	var all []Reason
	for _, r := range remedies() {
		if n := rows[r.cause]; n > 0 {
			all = append(all, Reason{CodeAdvice, fmt.Sprintf("%s (%s): %s", r.cause, rowsText(n), r.text)})
		}
	}
	return all
}
