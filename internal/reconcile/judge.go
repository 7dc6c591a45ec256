package reconcile

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The codes of reasons.
const (
	CodeMissing       = "missing"           // due rows are not in the target
	CodeDoomed        = "doomed"            // rows that are not due yet will never be read
	CodeDuplicates    = "duplicates"        // keys of the target occur more than once
	CodeNothingDue    = "nothing_due"       // zero rows were compared
	CodeFuture        = "future_event_time" // event times later than the source was read
	CodeNoWatermark   = "no_newest_event"
	CodeNullKeys      = "null_keys"
	CodeNullTimes     = "null_event_time"
	CodeNoVersions    = "no_versions"     // a view, or a table without a history
	CodeUnreadable    = "unreadable"      // a pinned version, or one that was needed, cannot be read
	CodeTruncated     = "truncated"       // a result was cut short
	CodeUndecidable   = "undecidable"     // sequences that no readable version holds
	CodeUpstreamGap   = "upstream_gap"    // sequences that never were in the source
	CodeNotContiguous = "not_contiguous"  // gaps prove nothing
	CodeBound         = "search_bound"    // more versions than a verification reads
	CodeKeyEpoch      = "key_epoch"       // sequences of the source began anew
	CodeNoRun         = "no_run"          // no successful run to verify
	CodeMetrics       = "history_metrics" // the history's row count is not the count at its versions
	CodeOtherCommits  = "other_commits"   // others wrote to the target since the run began
	CodeZone          = "session_zone"    // the history's instants cannot be read
	CodeRemade        = "table_remade"    // a table is not the one of the run before
	CodeActiveRun     = "active_run"
	CodeReadAt        = "read_at"      // nobody named the loader's read time
	CodeNoEvidence    = "no_evidence"  // evidence was to be kept, and is not
	CodeEvidenceCut   = "evidence_cut" // a file of evidence has a line that was not written to its end
	CodeSuspect       = "suspect"      // late rows seen for the first time
	CodeManifests     = "manifests"    // what versions do not show any more, manifests do
	CodeAccepted      = "accepted"     // ranges that need not be in the target
	CodeCauses        = "causes"       // why rows are missing is not known of all of them
	CodeAdvice        = "advice"       // what keeps a cause from losing further rows
	CodeUnchanged     = "unchanged"    // nothing changed since an earlier verification, whose verdict is repeated
	CodeNoSequences   = "no_sequences" // the key has no sequence, and what that costs
)

// Tally collects what a verification found.
type Tally struct {
	Counts Counts
	named  map[string]*Day
	// NullKeys, NullTimes and TargetNullKeys are rows that can never be compared.
	NullKeys, NullTimes, TargetNullKeys int64
	// Unread is how many versions of the source were not read that may hold rows of one range, at most.
	Unread int64
	// UpstreamGaps are sequences that were never in the source.
	UpstreamGaps uint64
	// Suspects are late rows that no earlier verification saw.
	Suspects int64
	// NoWatermark says that keys have no sequence, so that nothing can be said of a watermark.
	NoWatermark bool
	// Unstarted says that nothing was compared, for a reason that is among the doubts.
	Unstarted bool
	// Causes are rows by the cause that was found.
	Causes map[string]int64
	// Doubts keep a verification from passing; Notes do not.
	Doubts, Notes []Reason
}

// NewTally begins with the counts of the screen.
func NewTally(s *Screen) *Tally {
	t := &Tally{named: map[string]*Day{}, Causes: map[string]int64{}, NullKeys: s.NullKeys, NullTimes: s.NullTimes, TargetNullKeys: s.TargetNullKeys}
	for day, n := range s.Due {
		if n != 0 {
			t.day(dayName(day)).Due += n
			t.day(dayName(day)).Loaded += n
			t.Counts.Due += n
			t.Counts.Loaded += n
		}
	}
	for day, n := range s.InFlight {
		if n != 0 {
			t.day(dayName(day)).InFlight += n
			t.Counts.InFlight += n
		}
	}
	return t
}

// Recall takes the counts of an earlier verification in place of a screen's.
func (t *Tally) Recall(counts Counts, days []Day) {
	t.Counts = counts
	for _, d := range days {
		*t.day(d.Day) = d
	}
}

func (t *Tally) day(name string) *Day {
	d, ok := t.named[name]
	if !ok {
		d = &Day{Day: name}
		t.named[name] = d
	}
	return d
}

// Add counts a missing range. Late and skipped rows were counted as loaded by the screen, which saw them in the source;
// expired ones were not there any more.
func (t *Tally) Add(r Range) {
	t.Causes[r.Cause] += r.Rows
	t.Unread = max(t.Unread, r.Unread)
	switch {
	case r.State == Accepted:
		t.addAccepted(r)
	case (r.State == Late || r.State == Skipped) && !hasNull(r.Key):
		for day, n := range r.days() {
			d := t.day(day)
			d.Loaded -= n
			d.Missing += n
		}
		t.Counts.Loaded -= r.Rows
		t.Counts.Missing += r.Rows
	case r.State == Late, r.State == Skipped, r.State == Expired, r.State == Lost:
		// Keys with a null stand apart from the screen's counts until they are found missing.
		for day, n := range r.days() {
			d := t.day(day)
			d.Due += n
			d.Missing += n
		}
		t.Counts.Due += r.Rows
		t.Counts.Missing += r.Rows
	}
	switch r.State {
	case Late:
		t.Counts.Late += r.Rows
		if r.Suspect {
			t.Suspects += r.Rows
		}
	case Skipped:
		t.Counts.Skipped += r.Rows
	case Doomed:
		t.Counts.Doomed += r.Rows
	case Expired:
		t.Counts.Expired += r.Rows
	case Lost:
		t.Counts.Lost += r.Rows
	case Undecidable:
		t.Counts.Undecidable = plus(t.Counts.Undecidable, r.Rows)
	}
}

// days counts the rows of a range by day.
func (r Range) days() map[string]int64 {
	if r.Key == nil {
		return r.Days
	}
	return map[string]int64{dayName(dayOf(r.Earliest.UnixMicro())): r.Rows}
}

// Doubt keeps the verification from passing.
func (t *Tally) Doubt(code, format string, args ...any) {
	t.Doubts = append(t.Doubts, Reason{code, fmt.Sprintf(format, args...)})
}

// Unsettled are the doubts that stay when every row on the list is brought back.
func (t *Tally) Unsettled() []Reason {
	return slices.DeleteFunc(slices.Concat(t.implied(), t.Doubts), func(r Reason) bool { return r.Code == CodeUndecidable })
}

// Note is said whatever the verdict.
func (t *Tally) Note(code, format string, args ...any) {
	t.Notes = append(t.Notes, Reason{code, fmt.Sprintf(format, args...)})
}

// Judge writes counts, days, verdict and reasons. A proved loss is FAIL, whatever else is in doubt; any doubt without
// one is INCONCLUSIVE; PASS is what remains.
func (t *Tally) Judge(v *Verification) {
	v.Counts = t.Counts
	for _, name := range slices.Sorted(maps.Keys(t.named)) {
		v.ByDay = append(v.ByDay, *t.named[name])
	}
	doubts := slices.Concat(t.implied(), t.Doubts)
	losses, suspects := t.losses(), t.suspected()
	v.Reasons = slices.Concat(losses, suspects, doubts, t.Notes)
	if t.Counts.Duplicates > 0 {
		v.Warning = true
		v.Reasons = append(v.Reasons, Reason{CodeDuplicates, fmt.Sprintf("%s of the target repeat a key that is there already", rowsText(t.Counts.Duplicates))})
	}
	v.Reasons = append(v.Reasons, Advice(t.Causes)...)
	switch {
	case len(losses) > 0:
		v.Verdict = Fail
	case len(doubts) > 0:
		v.Verdict = Inconclusive
	case len(suspects) > 0:
		v.Verdict, v.Unconfirmed = Inconclusive, true
	default:
		v.Verdict = Pass
	}
}

func (t *Tally) suspected() []Reason {
	if t.Suspects == 0 {
		return nil
	}
	return []Reason{{CodeSuspect, fmt.Sprintf("%s due are not in the target and may be the next run's (late, seen for the first time): the next verification confirms it or finds them", rowsText(t.Suspects))}}
}

func (t *Tally) losses() []Reason {
	var reasons []Reason
	c := t.Counts
	skipped, late, doomed := "lie under the watermark (skipped)", "can still be read (late)", "lie under the watermark already, or left the source too early"
	if t.NoWatermark {
		skipped, late, doomed = "were in the target until they were removed from it (skipped)", "are still in the source (late)", "left the source too early"
	}
	if c.Missing > t.Suspects {
		var kinds []string
		for _, k := range []struct {
			n    int64
			text string
		}{{c.Expired, "left the source, which an older version of it shows (expired)"}, {c.Skipped, skipped}, {c.Late, late}, {c.Lost, "are gone from everywhere (lost)"}} {
			if k.n > 0 {
				kinds = append(kinds, fmt.Sprintf("%d %s", k.n, k.text))
			}
		}
		reasons = append(reasons, Reason{CodeMissing, fmt.Sprintf("%d of %s due are not in the target: %s", c.Missing, rowsText(c.Due), strings.Join(kinds, ", "))})
	}
	if c.Doomed > 0 {
		reasons = append(reasons, Reason{CodeDoomed, fmt.Sprintf("%s not due yet %s: no run will read them", rowsText(c.Doomed), doomed)})
	}
	return reasons
}

// implied are the doubts that follow from the counts.
func (t *Tally) implied() []Reason {
	var d []Reason
	if t.Counts.Due == 0 && !t.Unstarted {
		d = append(d, Reason{CodeNothingDue, "no row was due by the cutoff, so nothing was compared"})
	}
	if t.NullKeys > 0 {
		d = append(d, Reason{CodeNullKeys, fmt.Sprintf("%s of the source have a null key and can never be compared", rowsText(t.NullKeys))})
	}
	if t.TargetNullKeys > 0 {
		d = append(d, Reason{CodeNullKeys, fmt.Sprintf("%s of the target have a null key and can never be compared", rowsText(t.TargetNullKeys))})
	}
	if t.NullTimes > 0 {
		d = append(d, Reason{CodeNullTimes, fmt.Sprintf("%s of the source have no event time: they never become due and expire unread", rowsText(t.NullTimes))})
	}
	if n := t.Counts.Undecidable; n > 0 {
		d = append(d, Reason{CodeUndecidable, fmt.Sprintf("%d sequence numbers are in neither table and in no version of the source that was read: an upstream gap, or a loss whose trace is gone", n)})
	}
	if t.Unread > 0 {
		d = append(d, Reason{CodeBound, "of sequence numbers in neither table, " + unreadText(t.Unread)})
	}
	if n := t.UpstreamGaps; n > 0 {
		t.Note(CodeUpstreamGap, "%d sequence numbers that the target lacks were in no version of the source up to the one judged", n)
	}
	return d
}

func rowsText(n int64) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}
