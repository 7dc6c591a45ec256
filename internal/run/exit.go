package run

// ExitCode is what a command ends with. The numbers are fixed and never a count.
type ExitCode int

const (
	// Pass says that every row due was compared and is there.
	Pass ExitCode = 0
	// Loss says that rows are confirmed to be missing, or doomed to be.
	Loss ExitCode = 1
	// Usage says that the command line or the configuration is wrong.
	Usage ExitCode = 2
	// Warning says that there are duplicates, little headroom or something unconfirmed, and nothing worse.
	Warning ExitCode = 3
	// Inconclusive says that nothing can be claimed either way.
	Inconclusive ExitCode = 4
	// CouldNotRun says that the question could not even be asked: no access, no warehouse, no answer.
	CouldNotRun ExitCode = 5
	// RunFailed says that the job's run did not succeed.
	RunFailed ExitCode = 6
	// GaveUp says that the wait ended before the run did; the run is still active.
	GaveUp ExitCode = 7
	// Interrupted says that a signal ended the command.
	Interrupted ExitCode = 130
)

// Meaning is the code in one line, for help texts.
func (c ExitCode) Meaning() string {
	switch c {
	case Pass:
		return "pass"
	case Loss:
		return "confirmed loss or doomed rows"
	case Usage:
		return "usage or configuration"
	case Warning:
		return "warnings only: duplicates, low headroom, unconfirmed (--strict: 1)"
	case Inconclusive:
		return "inconclusive"
	case CouldNotRun:
		return "could not run"
	case RunFailed:
		return "the run failed"
	case GaveUp:
		return "gave up waiting, the run is still active"
	case Interrupted:
		return "interrupted"
	default:
		return "unknown"
	}
}

// ExitCodes are all codes in ascending order.
func ExitCodes() []ExitCode {
	return []ExitCode{Pass, Loss, Usage, Warning, Inconclusive, CouldNotRun, RunFailed, GaveUp, Interrupted}
}

// Worst is the code that must not be masked by any of the others: 1 > 6 > 7 > 5 > 4 > 3 > 0. An interruption and
// a wrong configuration come right after a confirmed loss; a code nobody knows counts as CouldNotRun. None is Pass.
func Worst(codes ...ExitCode) ExitCode {
	worst := Pass
	for _, c := range codes {
		if rank(c) == 0 && c != Pass {
			c = CouldNotRun
		}
		if rank(c) > rank(worst) {
			worst = c
		}
	}
	return worst
}

func rank(c ExitCode) int {
	switch c {
	case Loss:
		return 8
	case Interrupted:
		return 7
	case Usage:
		return 6
	case RunFailed:
		return 5
	case GaveUp:
		return 4
	case CouldNotRun:
		return 3
	case Inconclusive:
		return 2
	case Warning:
		return 1
	default:
		return 0
	}
}
