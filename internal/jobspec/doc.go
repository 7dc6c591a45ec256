// Package jobspec is what Watertight knows about the settings of a job in the Jobs API 2.2: which fields there are, what
// the server makes of them, when two settings differ, and when the job runs.
//
// Settings are the raw JSON object, so that a field the SDK does not know survives. Validation reads the SDK's model
// types; comparison reads one table of defaults and exemptions, each with its source. A path names a place in settings;
// a pattern is a path without the positions, as tasks[].run_if.
//
// It sends nothing and judges nothing: whether a job reads often enough is for coverage.
package jobspec

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Settings is the JSON object of a job's settings. Numbers are json.Number, so that integers above 2^53 stay exact.
type Settings = map[string]any

// Unknown stands for a value that is not known yet. It passes validation, and differs from nothing.
type Unknown struct{}

// Decode reads one JSON object of settings and nothing after it.
func Decode(r io.Reader) (Settings, error) {
	d := json.NewDecoder(r)
	d.UseNumber()
	var s Settings
	if err := d.Decode(&s); err != nil {
		return nil, fmt.Errorf("read job settings: %w", err)
	}
	if s == nil {
		return nil, errors.New("read job settings: null in place of an object")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("read job settings: more follows after the object")
	}
	return s, nil
}

// Prune copies a value without its nulls: fields that are null and elements that are null are as if not written.
func Prune(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			if e != nil {
				out[k] = Prune(e)
			}
		}
		return out
	case []any:
		out := make([]any, 0, len(v))
		for _, e := range v {
			if e != nil {
				out = append(out, Prune(e))
			}
		}
		return out
	}
	return v
}

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func text(v any) string {
	s, _ := v.(string)
	return s
}
