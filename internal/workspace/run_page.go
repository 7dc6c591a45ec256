package workspace

import (
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

// runState holds both shapes in which the API gives the state of a run or task; either may be absent.
type runState struct {
	State struct {
		LifeCycle   string `json:"life_cycle_state"`
		Result      string `json:"result_state"`
		Message     string `json:"state_message"`
		QueueReason string `json:"queue_reason"`
	} `json:"state"`
	Status struct {
		State       string `json:"state"`
		Termination struct {
			Code    string `json:"code"`
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"termination_details"`
		Queue struct {
			Message string `json:"message"`
		} `json:"queue_details"`
	} `json:"status"`
	Started int64  `json:"start_time"`
	Ended   int64  `json:"end_time"`
	URL     string `json:"run_page_url"`
}

func (s runState) message() string { return firstOf(s.State.Message, s.Status.Termination.Message) }

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

type runPage struct {
	runState
	RunID      int64  `json:"run_id"`
	JobID      int64  `json:"job_id"`
	Name       string `json:"run_name"`
	Trigger    string `json:"trigger"`
	Parameters []struct {
		Name    string `json:"name"`
		Value   string `json:"value"`
		Default string `json:"default"`
	} `json:"job_parameters"`
	Tasks []struct {
		runState
		Key     string `json:"task_key"`
		RunID   int64  `json:"run_id"`
		Attempt int    `json:"attempt_number"`
	} `json:"tasks"`
	PageToken string `json:"next_page_token"`
}

func (p runPage) run() run.Run {
	r := run.Run{
		ID: p.RunID, JobID: p.JobID, JobName: p.Name, LifeCycle: p.State.LifeCycle, Result: p.State.Result, Status: p.Status.State,
		TerminationCode: p.Status.Termination.Code, TerminationType: p.Status.Termination.Type, Message: p.message(),
		QueueReason: firstOf(p.State.QueueReason, p.Status.Queue.Message), Started: millis(p.Started), Ended: millis(p.Ended),
		URL: p.URL, Trigger: p.Trigger,
	}
	for _, t := range p.Tasks {
		r.Tasks = append(r.Tasks, run.Task{
			Key: t.Key, RunID: t.RunID, LifeCycle: t.State.LifeCycle, Result: t.State.Result, Status: t.Status.State,
			TerminationCode: t.Status.Termination.Code, TerminationType: t.Status.Termination.Type, Message: t.message(),
			URL: t.URL, Attempt: t.Attempt, Started: millis(t.Started), Ended: millis(t.Ended),
		})
	}
	for _, q := range p.Parameters {
		if r.Parameters == nil {
			r.Parameters = map[string]string{}
		}
		r.Parameters[q.Name] = firstOf(q.Value, q.Default)
	}
	return r
}
