package coverage

import "time"

// Answer is what a check says.
type Answer string

// The three answers.
const (
	Holds    Answer = "holds"
	Violated Answer = "violated"
	Unknown  Answer = "cannot tell yet"
)

// Pair is two consecutive reads: the start of a run and that of the next one.
type Pair struct{ From, To time.Time }

// Reason is one finding behind an answer. Codes are stable; texts are for people.
type Reason struct {
	Code string
	Text string
}

// The codes of reasons.
const (
	CodeHeadroom        = "headroom"          // the arithmetic of a verdict that holds
	CodeNegative        = "negative_headroom" // rows will be lost
	CodeMinimum         = "minimum_headroom"  // less headroom than asked for
	CodeNeverReads      = "never_reads_again"
	CodeLoaderPaused    = "loader_paused"
	CodeConcurrentRuns  = "concurrent_runs"
	CodeNoRuns          = "no_runs"
	CodeLatePause       = "late_pause"
	CodeSilence         = "silence"
	CodeLimitUnknown    = "limit_unknown"
	CodeTriggerUnbound  = "trigger_unbound"
	CodeDurationUnbound = "duration_unbound"
)

// Moment is a point of the worst case's timeline.
type Moment struct {
	At   time.Time
	What string
}

// Change is the smallest change of one input that would satisfy the check.
type Change struct {
	// Input names what to change: rolling_window, settle_delay, pause,
	// window.duration, window.loader_during_window, schedule, max_duration, …
	Input string
	// From and To are its value now and then, as written in configuration.
	From, To string
	Text     string
}

// Verdict is the answer of a check with everything it rests on.
type Verdict struct {
	Answer Answer
	// Headroom is Limit − (settle delay + LongestWait).
	Headroom    time.Duration
	LongestWait time.Duration
	Limit       time.Duration
	LimitName   string
	// Worst are the reads of the longest wait; zero where no instants are known.
	Worst Pair
	// LiveFires are the fires in the 400 days that start a run.
	LiveFires int
	// FailedRunsTolerated is how many runs in a row may fail, beginning at the
	// worst moment, before rows are lost. Zero also when nothing is known.
	FailedRunsTolerated int
	// NeverReadsAgain says that no fire comes, or a last one.
	NeverReadsAgain bool
	Reasons         []Reason
	Assumptions     []string
	Timeline        []Moment
	Changes         []Change
}

func (v *Verdict) add(answer Answer, code, text string) {
	v.Reasons = append(v.Reasons, Reason{Code: code, Text: text})
	if rank(answer) > rank(v.Answer) {
		v.Answer = answer
	}
}

// rank orders answers by what decides: a violation stands whatever is unknown.
func rank(a Answer) int {
	switch a {
	case Violated:
		return 2
	case Unknown:
		return 1
	}
	return 0
}
