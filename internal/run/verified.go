package run

import "github.com/watertight-data/terraform-provider-watertight/internal/reconcile"

// Verified is the exit code that follows from a verification.
func Verified(v reconcile.Verification) ExitCode {
	warning := Pass
	if v.Warning {
		warning = Warning
		if v.Strict {
			warning = Loss
		}
	}
	switch v.Verdict {
	case reconcile.Pass:
		return warning
	case reconcile.Fail:
		return Loss
	default:
		if v.Unconfirmed {
			warning = Warning
			if v.Strict {
				warning = Loss
			}
			return warning
		}
		return Worst(Inconclusive, warning)
	}
}

// Audited is the exit code that follows from an audit.
func Audited(a reconcile.Audit) ExitCode {
	return Verified(reconcile.Verification{Verdict: a.Verdict, Strict: a.Strict, Warning: a.Warning})
}
