// Package run knows the life of a job run: what its states mean, which of them end it, which exit code follows, and
// how often it is worth asking again.
//
// Vocabulary: a life cycle, a result and a status are Databricks' own words, kept as they came; an outcome is what
// Watertight makes of them. The package asks nobody and knows no clock.
package run

import "time"

// Run is one run of a job as the Jobs API describes it.
type Run struct {
	ID, JobID int64
	JobName   string
	// LifeCycle and Result are the fields of the older `state`; Status, TerminationCode and TerminationType those
	// of the newer `status`. A service may answer with either or both; new values may appear in any.
	LifeCycle, Result                        string
	Status, TerminationCode, TerminationType string
	// Message is the service's own text; QueueReason says why a queued run waits.
	Message, QueueReason string
	// Started and Ended are zero while unknown.
	Started, Ended time.Time
	URL            string
	// Trigger is what started the run: PERIODIC, ONE_TIME, RETRY, RUN_JOB_TASK and others.
	Trigger    string
	Tasks      []Task
	Parameters map[string]string
}

// Task is one attempt at a task of a run.
type Task struct {
	Key                                      string
	RunID                                    int64
	LifeCycle, Result                        string
	Status, TerminationCode, TerminationType string
	// Message and Trace explain a failure; both may be empty until the task's output is read.
	Message, Trace string
	URL            string
	// Attempt counts from 0.
	Attempt        int
	Started, Ended time.Time
}

// Outcome says how the run ended, or that it has not.
func (r Run) Outcome() Outcome {
	return outcomeOf(r.LifeCycle, r.Result, r.Status, r.TerminationCode)
}

// Outcome says how the task ended, or that it has not.
func (t Task) Outcome() Outcome {
	return outcomeOf(t.LifeCycle, t.Result, t.Status, t.TerminationCode)
}

// State is the word to show while the run goes on: the life cycle, or the status where there is none.
func (r Run) State() string {
	if r.LifeCycle != "" {
		return r.LifeCycle
	}
	return r.Status
}

// Failures are the last attempts of the tasks that ended without success, in the order of the run.
func (r Run) Failures() []Task {
	last := map[string]int{}
	for _, t := range r.Tasks {
		if at, seen := last[t.Key]; !seen || t.Attempt >= at {
			last[t.Key] = t.Attempt
		}
	}
	var failed []Task
	for _, t := range r.Tasks {
		if t.Attempt == last[t.Key] && t.Outcome().Final() && t.Outcome() != Succeeded && t.Outcome() != Excluded {
			failed = append(failed, t)
		}
	}
	return failed
}
