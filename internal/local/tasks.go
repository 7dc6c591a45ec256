package local

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
)

// dispatch runs a task by its kind. A kind that cannot run here fails, with its name in the message.
func (w *Workspace) dispatch(ctx context.Context, r *jobRun, t *taskRun) error {
	kinds := taskKinds(t.Config)
	if len(kinds) != 1 {
		return &taskError{message: fmt.Sprintf("Task %s has %d kinds of task; it must have one.", t.Key, len(kinds))}
	}
	switch kinds[0] {
	case "sql_task":
		return w.runSQLTask(ctx, r, t)
	case "notebook_task":
		return w.runNotebook(ctx, r, t)
	case "condition_task":
		return w.runCondition(r, t)
	case "run_job_task":
		return w.runJobTask(ctx, r, t)
	}
	return &taskError{message: fmt.Sprintf("%s cannot run in the local workspace, which has no compute for it: SQL files, SQL notebooks, conditions and nested jobs can.", kinds[0])}
}

func (w *Workspace) runCondition(r *jobRun, t *taskRun) error {
	c := object(t.Config["condition_task"])
	left, right, op := w.resolve(r, t, plain(c["left"])), w.resolve(r, t, plain(c["right"])), text(c["op"])
	holds, err := compare(left, op, right)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	t.Branch = strconv.FormatBool(holds)
	return nil
}

func compare(left, op, right string) (bool, error) {
	switch op {
	case "EQUAL_TO":
		return left == right, nil
	case "NOT_EQUAL":
		return left != right, nil
	}
	l, errL := strconv.ParseFloat(left, 64)
	r, errR := strconv.ParseFloat(right, 64)
	if errL != nil || errR != nil {
		return false, &taskError{message: fmt.Sprintf("condition_task: %s needs numbers, and compares %q with %q.", op, left, right)}
	}
	switch op {
	case "GREATER_THAN":
		return l > r, nil
	case "GREATER_THAN_OR_EQUAL":
		return l >= r, nil
	case "LESS_THAN":
		return l < r, nil
	case "LESS_THAN_OR_EQUAL":
		return l <= r, nil
	}
	return false, &taskError{message: fmt.Sprintf("condition_task: unknown operator %q.", op)}
}

// runJobTask runs another job within this task. Its outcome is the task's.
func (w *Workspace) runJobTask(ctx context.Context, r *jobRun, t *taskRun) error {
	c := object(t.Config["run_job_task"])
	id, _ := integer(c["job_id"])
	parameters := map[string]string{}
	for k, v := range texts(c["job_parameters"]) {
		parameters[k] = w.resolve(r, t, v)
	}
	w.mu.Lock()
	j, err := w.find(id)
	if err == nil && id == r.JobID {
		err = badRequest("Job %d cannot run itself.", id)
	}
	if err != nil {
		w.mu.Unlock()
		return &taskError{message: fmt.Sprintf("run_job_task: %v", err)}
	}
	child, execute := w.begin(j, runRequest{trigger: "RUN_JOB_TASK", user: r.Creator, parameters: parameters})
	t.Child = child.ID
	w.mu.Unlock()
	if execute {
		w.execute(ctx, child)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch s := child.State; {
	case s.Result == "SUCCESS":
		return nil
	case !s.final():
		return &taskError{message: fmt.Sprintf("run_job_task: run %d of job %d waits (%s), which a nested run cannot do in the local workspace.", child.ID, id, s.LifeCycle)}
	default:
		return &taskError{message: fmt.Sprintf("run_job_task: run %d of job %d ended %s: %s", child.ID, id, cmp.Or(s.Result, s.LifeCycle), s.Message)}
	}
}

// resolve fills in dynamic value references such as {{job.id}}. Unknown ones stay as they are.
func (w *Workspace) resolve(r *jobRun, t *taskRun, value string) string {
	if !strings.Contains(value, "{{") {
		return value
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	values := map[string]string{
		"job.id": plain(r.JobID), "job.name": r.Name, "job.run_id": plain(r.ID), "job.trigger.type": r.Trigger, "job.repair_count": plain(len(r.Repairs)),
		"task.name": t.Key, "task.run_id": plain(t.ID), "task.execution_count": plain(t.Attempt + 1),
		"job.start_time.iso_date": r.Started.Format("2006-01-02"), "job.start_time.iso_datetime": r.Started.Format("2006-01-02T15:04:05.000000"),
		"job.start_time.timestamp_ms": plain(r.Started.UnixMilli()), "workspace.id": workspaceID, "workspace.url": w.Host(),
	}
	for k, v := range r.Parameters {
		values["job.parameters."+k] = v
	}
	for _, o := range r.latest() {
		values["tasks."+o.Key+".result_state"] = strings.ToLower(o.State.Result)
		values["tasks."+o.Key+".run_id"] = plain(o.ID)
	}
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(value, "{{")
		name, after, closed := strings.Cut(rest, "}}")
		if !ok || !closed {
			out.WriteString(value)
			return out.String()
		}
		out.WriteString(before)
		if v, ok := values[strings.TrimSpace(name)]; ok {
			out.WriteString(v)
		} else {
			out.WriteString("{{" + name + "}}")
		}
		value = after
	}
}
