package run

// Outcome is how a run or a task ended. Only Succeeded is success: every other final outcome is a failure of its own
// kind, and so is a final state that nobody has described yet.
type Outcome string

const (
	// Succeeded is a run that ended with result SUCCESS.
	Succeeded Outcome = "succeeded"
	// Failed is a run that ended with an error of its own or of the service.
	Failed Outcome = "failed"
	// TimedOut is a run that outlived its own time limit and was stopped.
	TimedOut Outcome = "timed_out"
	// Canceled is a run that somebody or something cancelled.
	Canceled Outcome = "canceled"
	// Skipped is a run that never began, most often since another one was active.
	Skipped Outcome = "skipped"
	// Partial is a run that the service calls SUCCESS_WITH_FAILURES: some of its tasks failed.
	Partial Outcome = "partial"
	// UpstreamFailed is a task that did not begin since one it depends on failed.
	UpstreamFailed Outcome = "upstream_failed"
	// UpstreamCanceled is a task that did not begin since one it depends on was cancelled.
	UpstreamCanceled Outcome = "upstream_canceled"
	// Excluded is a task whose condition left it out.
	Excluded Outcome = "excluded"
	// Disabled is a task that was switched off.
	Disabled Outcome = "disabled"
	// Active is a run that goes on: queued, blocked, pending, running, waiting for a retry, ending, or in a state
	// that nobody has described yet.
	Active Outcome = "active"
	// Unknown is a run that has ended in a way that nobody has described yet, or without a result.
	Unknown Outcome = "unknown"
)

// Final reports whether nothing more will happen to the run.
func (o Outcome) Final() bool { return o != Active }

// ExitCode is the exit code that follows from the outcome alone, before any row was looked at.
func (o Outcome) ExitCode() ExitCode {
	switch o {
	case Succeeded:
		return Pass
	case Active:
		return GaveUp
	default:
		return RunFailed
	}
}

// outcomeOf reads the older fields first. The newer ones decide only where the older ones are absent or unknown, so
// that a service which drops the older ones is still understood; a known active life cycle is never overruled.
func outcomeOf(lifeCycle, result, status, code string) Outcome {
	switch lifeCycle {
	case "SKIPPED":
		return Skipped
	case "INTERNAL_ERROR":
		return failedUnless(byResult(result))
	case "TERMINATED":
		if result == "" {
			return failedUnless(byCode(code))
		}
		return contradicted(byResult(result), code)
	case "BLOCKED", "PENDING", "QUEUED", "RUNNING", "TERMINATING", "WAITING_FOR_RETRY":
		return Active
	}
	if status == "TERMINATED" {
		if result != "" {
			return contradicted(byResult(result), code)
		}
		return byCode(code)
	}
	return Active
}

// failedUnless keeps an outcome that names a failure and turns any claim of success into Unknown or Failed: a run
// without a result, or one that ended in an internal error, is never a success.
func failedUnless(o Outcome) Outcome {
	switch o {
	case Succeeded, Unknown:
		return Unknown
	default:
		return o
	}
}

// contradicted is the result, unless it claims a success that the termination code denies.
func contradicted(o Outcome, code string) Outcome {
	if o != Succeeded || code == "" || code == "SUCCESS" {
		return o
	}
	if by := byCode(code); by != Succeeded {
		return by
	}
	return Unknown
}

func byResult(result string) Outcome {
	switch result {
	case "SUCCESS":
		return Succeeded
	case "FAILED":
		return Failed
	case "TIMEDOUT":
		return TimedOut
	case "CANCELED":
		return Canceled
	case "SUCCESS_WITH_FAILURES":
		return Partial
	case "UPSTREAM_FAILED":
		return UpstreamFailed
	case "UPSTREAM_CANCELED":
		return UpstreamCanceled
	case "MAXIMUM_CONCURRENT_RUNS_REACHED":
		return Skipped
	case "EXCLUDED":
		return Excluded
	case "DISABLED":
		return Disabled
	default:
		return Unknown
	}
}

func byCode(code string) Outcome {
	switch code {
	case "SUCCESS":
		return Succeeded
	case "SUCCESS_WITH_FAILURES":
		return Partial
	case "CANCELED", "USER_CANCELED":
		return Canceled
	case "SKIPPED", "MAX_CONCURRENT_RUNS_EXCEEDED", "MAX_JOB_QUEUE_SIZE_EXCEEDED":
		return Skipped
	case "DISABLED":
		return Disabled
	case "BREAKING_CHANGE", "BUDGET_POLICY_LIMIT_EXCEEDED", "CLOUD_FAILURE", "CLUSTER_ERROR",
		"CLUSTER_REQUEST_LIMIT_EXCEEDED", "DRIVER_ERROR", "FEATURE_DISABLED", "INTERNAL_ERROR",
		"INVALID_CLUSTER_REQUEST", "INVALID_RUN_CONFIGURATION", "LIBRARY_INSTALLATION_ERROR",
		"MAX_SPARK_CONTEXTS_EXCEEDED", "REPOSITORY_CHECKOUT_FAILED", "RESOURCE_NOT_FOUND", "RUN_EXECUTION_ERROR",
		"STORAGE_ACCESS_ERROR", "UNAUTHORIZED_ERROR", "WORKSPACE_RUN_LIMIT_EXCEEDED":
		return Failed
	default:
		return Unknown
	}
}
