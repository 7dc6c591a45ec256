package local

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
)

func (w *Workspace) createJob(_ context.Context, c *call) (any, error) {
	var s settings
	if err := c.decode(&s); err != nil {
		return nil, err
	}
	s = known(s)
	if err := validateSettings(s); err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if c.version() == "2.2" {
		queueByDefault(s)
	}
	j := &job{ID: w.book.newID(), Creator: c.user, RunAs: runAs(s, c.user), Created: w.clock.Tick()}
	if acl := list(s["access_control_list"]); acl != nil {
		w.book.Grants[j.ID] = acl
		delete(s, "access_control_list")
	}
	w.book.Jobs[j.ID] = j
	w.write(j, s)
	return map[string]any{"job_id": j.ID}, nil
}

// write replaces a job's settings. The caller holds w.mu.
func (w *Workspace) write(j *job, s settings) {
	changed := j.fires == nil || !reflect.DeepEqual(triggerParts(j.Settings), triggerParts(s))
	j.Settings = s
	if changed {
		j.Anchor = w.clock.Now()
	}
	j.fires = newTrigger(s)
	w.changed()
	if w.behaviour.ContinuousRace && j.fires.continuous && !j.fires.paused {
		w.races[j.ID] = true
		w.begin(j, runRequest{trigger: "CONTINUOUS", background: true})
	}
}

func triggerParts(s settings) [4]any {
	return [4]any{s["schedule"], s["trigger"], s["continuous"], s["triggers"]}
}

type jobBody struct {
	JobID          json.Number `json:"job_id"`
	NewSettings    settings    `json:"new_settings"`
	FieldsToRemove []string    `json:"fields_to_remove"`
}

func (c *call) jobBody() (jobBody, int64, error) {
	var b jobBody
	if err := c.decode(&b); err != nil {
		return b, 0, err
	}
	id, err := b.JobID.Int64()
	if err != nil {
		return b, 0, badRequest("Job id must be a number, not %q.", b.JobID)
	}
	return b, id, nil
}

func (w *Workspace) resetJob(_ context.Context, c *call) (any, error) {
	b, id, err := c.jobBody()
	if err != nil {
		return nil, err
	}
	s := known(b.NewSettings)
	w.mu.Lock()
	defer w.mu.Unlock()
	j, err := w.find(id)
	if err != nil {
		return nil, err
	}
	if err := validateSettings(s); err != nil {
		return nil, err
	}
	if c.version() == "2.2" {
		queueByDefault(s)
	}
	// A reset without run_as keeps the old identity.
	j.RunAs = runAs(s, j.RunAs)
	w.write(j, s)
	return map[string]any{}, nil
}

func (w *Workspace) updateJob(_ context.Context, c *call) (any, error) {
	b, id, err := c.jobBody()
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	j, err := w.find(id)
	if err != nil {
		return nil, err
	}
	s := cloneMap(j.Settings)
	for _, f := range b.FieldsToRemove {
		removeField(s, f)
	}
	for k, v := range known(b.NewSettings) {
		if key, ok := arrayKeys()[k]; ok {
			s[k] = mergeByKey(list(s[k]), list(v), key)
			continue
		}
		s[k] = v
	}
	if err := validateSettings(s); err != nil {
		return nil, err
	}
	j.RunAs = runAs(s, j.RunAs)
	w.write(j, s)
	return map[string]any{}, nil
}

func (w *Workspace) deleteJob(_ context.Context, c *call) (any, error) {
	_, id, err := c.jobBody()
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	j, err := w.find(id)
	if err != nil {
		return nil, err
	}
	for _, r := range w.activeRuns(j.ID) {
		w.requestCancel(r)
	}
	delete(w.book.Jobs, id)
	delete(w.book.Grants, id)
	w.changed()
	return map[string]any{}, nil
}

// arrayKeys are the arrays that update merges, with the field that names an element.
func arrayKeys() map[string]string {
	return map[string]string{"tasks": "task_key", "job_clusters": "job_cluster_key", "environments": "environment_key", "parameters": "name"}
}

func mergeByKey(old, changes []any, key string) []any {
	out := append([]any(nil), old...)
next:
	for _, c := range changes {
		for i, o := range out {
			if object(o)[key] == object(c)[key] {
				out[i] = c
				continue next
			}
		}
		out = append(out, c)
	}
	return out
}

// removeField removes a field, or an element of a keyed array or map: "schedule", "tasks/load", "tags/team".
func removeField(s settings, path string) {
	field, element, deeper := strings.Cut(path, "/")
	if !deeper {
		delete(s, field)
		return
	}
	if key, ok := arrayKeys()[field]; ok {
		var kept []any
		for _, e := range list(s[field]) {
			if text(object(e)[key]) != element {
				kept = append(kept, e)
			}
		}
		s[field] = kept
		return
	}
	delete(object(s[field]), element)
}

// queueByDefault is what version 2.2 does on create and reset.
func queueByDefault(s settings) { setDefault(s, "queue", map[string]any{"enabled": true}) }

func runAs(s settings, otherwise string) string {
	r := object(s["run_as"])
	if n := text(r["user_name"]); n != "" {
		return n
	}
	if n := text(r["service_principal_name"]); n != "" {
		return n
	}
	return otherwise
}

func (w *Workspace) getPermissions(_ context.Context, c *call) (any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	id, _ := integer(c.PathValue("job_id"))
	j, err := w.find(id)
	if err != nil {
		return nil, err
	}
	return w.permissions(j), nil
}

func (w *Workspace) permissions(j *job) map[string]any {
	grants := w.book.Grants[j.ID]
	if grants == nil {
		grants = []any{map[string]any{"user_name": j.Creator, "permission_level": "IS_OWNER"}}
	}
	var acl []any
	for _, g := range grants {
		g := cloneMap(object(g))
		level := g["permission_level"]
		delete(g, "permission_level")
		g["all_permissions"] = []any{map[string]any{"permission_level": level, "inherited": false}}
		acl = append(acl, g)
	}
	return map[string]any{"object_id": "/jobs/" + plain(j.ID), "object_type": "job", "access_control_list": acl}
}

func (w *Workspace) putPermissions(_ context.Context, c *call) (any, error) {
	return w.grant(c, func(_, wanted []any) []any { return wanted })
}

func (w *Workspace) patchPermissions(_ context.Context, c *call) (any, error) {
	return w.grant(c, func(old, wanted []any) []any { return append(append([]any(nil), old...), wanted...) })
}

func (w *Workspace) grant(c *call, join func(old, wanted []any) []any) (any, error) {
	var body struct {
		List []any `json:"access_control_list"`
	}
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	id, _ := integer(c.PathValue("job_id"))
	j, err := w.find(id)
	if err != nil {
		return nil, err
	}
	old := w.book.Grants[id]
	if old == nil {
		old = []any{map[string]any{"user_name": j.Creator, "permission_level": "IS_OWNER"}}
	}
	grants := join(old, body.List)
	owners := 0
	for _, g := range grants {
		if object(g)["permission_level"] == "IS_OWNER" {
			owners++
		}
	}
	if owners != 1 {
		return nil, &apiError{http.StatusBadRequest, "INVALID_PARAMETER_VALUE", "The job must have exactly one owner."}
	}
	w.book.Grants[id] = grants
	w.changed()
	return w.permissions(j), nil
}
