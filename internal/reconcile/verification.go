package reconcile

import (
	"iter"
	"time"
)

// Verdict is the answer to "is every row that was due in the target".
type Verdict string

// The verdicts. Pass is given only when every due key was compared; Fail only when a key is proved to be missing.
const (
	Pass         Verdict = "PASS"
	Fail         Verdict = "FAIL"
	Inconclusive Verdict = "INCONCLUSIVE"
)

// State is what became of a key that is not in the target.
type State string

const (
	// InFlight is not due yet and above the watermark. Such rows are counted, never listed.
	InFlight State = "in_flight"
	// Late is due and above the watermark: the next run can still read it.
	Late State = "late"
	// Doomed is not due yet but under the watermark already, or gone from the source: no run will read it.
	Doomed State = "doomed"
	// Skipped is due, under the watermark, and still in the source.
	Skipped State = "skipped"
	// Expired was due and left the source unread; an older version of the source still holds it.
	Expired State = "expired"
	// Lost is gone from everywhere that can be read. It takes evidence to know of such a row.
	Lost State = "lost"
	// Undecidable is a sequence that no readable version holds: an upstream gap, or a loss whose trace is gone.
	Undecidable State = "undecidable"
	// Accepted is declared to be no loss.
	Accepted State = "accepted"
)

// Pinned is a table at one version.
type Pinned struct {
	Table   string
	Version int64
	// Committed is when the version was made; zero when unknown.
	Committed time.Time
}

// Counts are keys, each counted once however often it occurs. Missing is Late + Skipped + Expired + Lost: every key
// that was due and is not in the target; Due is Loaded + Missing. Duplicates are surplus rows of the target.
type Counts struct {
	Due, Loaded, Missing, InFlight, Late, Doomed, Skipped, Expired, Lost, Duplicates int64
	// Undecidable and Accepted are sequences that are in nobody's count above; Accepted has surplus rows of them too.
	Undecidable, Accepted int64
}

// Day holds the counts of one day of event time, in UTC.
type Day struct {
	// Day is written 2006-01-02.
	Day                            string
	Due, Loaded, Missing, InFlight int64
}

// Range is a run of consecutive keys of one partition that share their state.
type Range struct {
	Partition      string
	From, To, Rows int64
	// Key is the one key it is, where keys are columns; there is no partition and no sequence then.
	Key   []KeyValue
	State State
	// Cause and Proof say why, where that is known.
	Cause, Proof string
	// RecoverableUntil is zero where the rows cannot be read any more; RecoverFrom says where they can.
	RecoverableUntil time.Time
	RecoverFrom      string
	// GoneSince is when the last of its rows could be read nowhere any more, of ranges that are lost; zero when unknown.
	GoneSince time.Time
	// Version of the source holds its rows, where Held.
	Version int64
	Held    bool
	// Unread is how many versions of the source may hold its rows and were not read, where that is all that is known of them.
	Unread int64
	// Accepted says that an acceptance names all of its rows: Acceptance, once State is Accepted. Was is the state that they
	// have otherwise.
	Accepted   bool
	Acceptance Acceptance
	Was        State
	// Suspect says that it was seen for the first time and may be the next run's; an alarm waits for another look.
	Suspect bool
	// Earliest and Latest are the event times of its rows; zero when unknown.
	Earliest, Latest time.Time
	// Days counts the rows by day of event time.
	Days map[string]int64
}

// Duplicate is a run of consecutive keys of the target that occur more than once.
type Duplicate struct {
	Partition string
	From, To  int64
	// Key is the one key it is, where keys are columns.
	Key []KeyValue
	// Keys occur more than once; Surplus rows are too many.
	Keys, Surplus int64
	// Cause and Proof say whether one run wrote them or two, where that is known.
	Cause, Proof string
}

// Written is a commit of a run to the target, with the target's rows before and after it.
type Written struct {
	Version       int64
	Committed     time.Time
	Before, After int64
}

// List gives its elements in order, as often as it is asked. An error ends the sequence. Elements may be read from a
// file as they are consumed, so a list can be longer than memory.
type List[T any] interface {
	Len() int64
	All() iter.Seq2[T, error]
}

// Reason explains a verdict. Codes are stable; texts are for people.
type Reason struct{ Code, Text string }

// Verification is the result of one verification. It must be closed where Close is not nil.
type Verification struct {
	Verdict Verdict
	// Strict turns warnings into failures when the exit code is chosen.
	Strict bool
	// Warning says that duplicates were found, or something else that is not a loss.
	Warning bool
	// Unconfirmed says that nothing but suspects keeps the verdict from PASS.
	Unconfirmed bool
	// ReadAt is the earliest instant at which the loader can have read its source; Cutoff what followed from it.
	ReadAt, Cutoff time.Time
	Source, Target Pinned
	Counts         Counts
	ByDay          []Day
	// Missing are the ranges that are not in the target, but for those in flight, by state, partition and sequence.
	Missing    List[Range]
	Duplicates List[Duplicate]
	// Accepted are the ranges that would be among the missing, or the duplicates, had nobody accepted them.
	Accepted List[Range]
	Reasons  []Reason
	// Written are the verified run's own commits to the target, the newest at most; empty when no run was named.
	Written []Written
	// IntegralPartition says that partitions are whole numbers, for printing.
	IntegralPartition bool
	// KeyNames are the columns of the key, where keys are columns.
	KeyNames []string
	// Run is the run that was verified; 0 when none was named.
	Run, Job int64

	close func() error
}

// OnClose adds what Close has to do.
func (v *Verification) OnClose(f func() error) { v.close = f }

// Close gives back what the lists hold. It can be called on any Verification, also twice.
func (v *Verification) Close() error {
	if v.close == nil {
		return nil
	}
	f := v.close
	v.close = nil
	return f()
}

// Slice is a List in memory.
type Slice[T any] []T

// Len is the number of elements.
func (s Slice[T]) Len() int64 { return int64(len(s)) }

// All yields the elements in order.
func (s Slice[T]) All() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, e := range s {
			if !yield(e, nil) {
				return
			}
		}
	}
}
