package jobspec

import (
	"errors"
	"fmt"
	"maps"
)

// The values of a pause status.
const (
	Paused   = "PAUSED"
	Unpaused = "UNPAUSED"
)

// ErrNoTrigger is returned for a job that nothing starts by itself: there is nothing to pause.
var ErrNoTrigger = errors.New("the job has no schedule, trigger or continuous setting")

// triggerFields are the fields that can start a job by themselves; a job has at most one.
func triggerFields() []string { return []string{"schedule", "trigger", "continuous", "triggers"} }

// Pause reads the pause status of whichever trigger the job has, and names it: schedule, trigger, continuous or
// triggers. Several triggers are paused when each of them is. It is false for a job without one.
func Pause(s Settings) (status, trigger string, ok bool) {
	for _, name := range triggerFields() {
		parts := list(s[name])
		if m := object(s[name]); m != nil {
			parts = []any{m}
		}
		if len(parts) == 0 {
			continue
		}
		for _, p := range parts {
			if text(object(p)["pause_status"]) != Paused {
				return Unpaused, name, true
			}
		}
		return Paused, name, true
	}
	return "", "", false
}

// SetPause copies settings with the pause status written into whichever trigger they have; without one it is
// ErrNoTrigger.
func SetPause(s Settings, status string) (Settings, error) {
	if status != Paused && status != Unpaused {
		return nil, fmt.Errorf("pause status %q: use %s or %s", status, Paused, Unpaused)
	}
	_, name, ok := Pause(s)
	if !ok {
		return nil, ErrNoTrigger
	}
	with := func(trigger any) any {
		m := maps.Clone(object(trigger))
		m["pause_status"] = status
		return m
	}
	out := maps.Clone(s)
	if m := object(s[name]); m != nil {
		out[name] = with(m)
		return out, nil
	}
	all := make([]any, 0, len(list(s[name])))
	for _, t := range list(s[name]) {
		if object(t) == nil {
			return nil, fmt.Errorf("%s: an element is no object", name)
		}
		all = append(all, with(t))
	}
	out[name] = all
	return out, nil
}
