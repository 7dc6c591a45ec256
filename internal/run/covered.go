package run

import "github.com/watertight-data/terraform-provider-watertight/internal/coverage"

// Covered is the exit code that follows from a coverage verdict: a violated check means rows that will be lost, unless
// only the headroom asked for is missing.
func Covered(v coverage.Verdict) ExitCode {
	switch v.Answer {
	case coverage.Holds:
		return Pass
	case coverage.Violated:
		if lowHeadroomOnly(v) {
			return Warning
		}
		return Loss
	default:
		return Inconclusive
	}
}

// lowHeadroomOnly reports whether nothing is wrong but that less headroom is left than was asked for.
func lowHeadroomOnly(v coverage.Verdict) bool {
	if v.Headroom < 0 || v.NeverReadsAgain {
		return false
	}
	low := false
	for _, r := range v.Reasons {
		switch r.Code {
		case coverage.CodeMinimum:
			low = true
		case coverage.CodeNegative, coverage.CodeNeverReads, coverage.CodeLoaderPaused, coverage.CodeConcurrentRuns, coverage.CodeNoRuns, coverage.CodeSilence, coverage.CodeLatePause:
			return false
		}
	}
	return low
}
