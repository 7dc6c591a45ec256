package local

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// faultText is a fault as a file or a control request writes it.
type faultText struct {
	Route         string            `json:"route,omitempty"`
	Method        string            `json:"method,omitempty"`
	Call          int               `json:"call,omitempty"`
	Times         int               `json:"times,omitempty"`
	Status        int               `json:"status,omitempty"`
	Body          string            `json:"body,omitempty"`
	ContentType   string            `json:"content_type,omitempty"`
	Headers       map[string]string `json:"headers,omitempty"`
	Delay         string            `json:"delay,omitempty"`
	Reset         bool              `json:"reset,omitempty"`
	ActThenReset  bool              `json:"act_then_reset,omitempty"`
	ActThenStatus bool              `json:"act_then_status,omitempty"`
	CutBody       bool              `json:"cut_body,omitempty"`
	MarkTruncated bool              `json:"mark_truncated,omitempty"`
	LoseRow       bool              `json:"lose_row,omitempty"`
	LoseValue     bool              `json:"lose_value,omitempty"`
}

// ReadFaults reads faults from JSON: a list of objects, or one object. The error names the line and the field.
func ReadFaults(r io.Reader) ([]Fault, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	elements, offsets, err := splitFaults(data)
	if err != nil {
		return nil, err
	}
	var out []Fault
	for i, raw := range elements {
		f, at, err := readFault(raw)
		if err != nil {
			return nil, fmt.Errorf("line %d: fault %d: %w", line(data, offsets[i]+at), i+1, err)
		}
		out = append(out, f)
	}
	return out, nil
}

func splitFaults(data []byte) (elements [][]byte, offsets []int, err error) {
	var whole any
	if err := json.Unmarshal(data, &whole); err != nil { // a Decoder's offsets are relative; these are not
		return nil, nil, fmt.Errorf("line %d: %w", line(data, errorOffset(err, len(data))), err)
	}
	if _, isList := whole.([]any); !isList {
		return [][]byte{data}, []int{0}, nil
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if _, err := d.Token(); err != nil {
		return nil, nil, err
	}
	for d.More() {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, nil, err
		}
		elements = append(elements, raw)
		offsets = append(offsets, int(d.InputOffset())-len(raw))
	}
	return elements, offsets, nil
}

// readFault returns the offset of what is wrong within raw.
func readFault(raw []byte) (Fault, int, error) {
	var t faultText
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		at := errorOffset(err, int(d.InputOffset()))
		if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
			return Fault{}, max(bytes.Index(raw, []byte(name)), 0), fmt.Errorf("unknown field %s", name)
		}
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) && kind.Field != "" {
			return Fault{}, at, fmt.Errorf("field %q: a %s cannot hold a %s", kind.Field, kind.Type, kind.Value)
		}
		return Fault{}, at, err
	}
	f, field, err := t.fault()
	if err != nil {
		return Fault{}, max(bytes.Index(raw, []byte(`"`+field+`"`)), 0), fmt.Errorf("field %q: %w", field, err)
	}
	return f, 0, nil
}

func (t faultText) fault() (f Fault, field string, err error) {
	f = Fault{Route: t.Route, Method: strings.ToUpper(t.Method), Call: t.Call, Times: t.Times, Status: t.Status, Body: t.Body,
		ContentType: t.ContentType, Headers: t.Headers, Reset: t.Reset, ActThenReset: t.ActThenReset,
		ActThenStatus: t.ActThenStatus, CutBody: t.CutBody, MarkTruncated: t.MarkTruncated, LoseRow: t.LoseRow, LoseValue: t.LoseValue}
	methods := []string{"", http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodHead}
	switch {
	case !slices.Contains(methods, f.Method):
		return f, "method", fmt.Errorf("%q is not an HTTP method", t.Method)
	case f.Call < 0:
		return f, "call", fmt.Errorf("%d: calls are counted from 1", f.Call)
	case f.Times < 0:
		return f, "times", fmt.Errorf("%d is negative", f.Times)
	case f.Status != 0 && (f.Status < 200 || f.Status > 599):
		return f, "status", fmt.Errorf("%d is not a status an answer can have: 200 to 599", f.Status)
	case f.ActThenStatus && f.Status == 0:
		return f, "act_then_status", errors.New("says to answer with a status, and there is none")
	}
	if t.Delay != "" {
		if f.Delay, err = time.ParseDuration(t.Delay); err != nil || f.Delay < 0 {
			return f, "delay", fmt.Errorf("%q is not a duration such as \"1.5s\" or \"200ms\"", t.Delay)
		}
	}
	if f.Status == 0 && f.Delay == 0 && !f.Reset && !f.ActThenReset && !f.CutBody && !f.changesResult() {
		return f, "status", errors.New("the fault does nothing: give a status, delay, reset, act_then_reset, cut_body, mark_truncated, lose_row or lose_value")
	}
	return f, "", nil
}

func (f Fault) text() faultText {
	t := faultText{Route: f.Route, Method: f.Method, Call: f.Call, Times: f.Times, Status: f.Status, Body: f.Body,
		ContentType: f.ContentType, Headers: f.Headers, Reset: f.Reset, ActThenReset: f.ActThenReset,
		ActThenStatus: f.ActThenStatus, CutBody: f.CutBody, MarkTruncated: f.MarkTruncated, LoseRow: f.LoseRow, LoseValue: f.LoseValue}
	if f.Delay > 0 {
		t.Delay = f.Delay.String()
	}
	return t
}

func errorOffset(err error, otherwise int) int {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return int(syntax.Offset)
	case errors.As(err, &kind):
		return int(kind.Offset)
	}
	return otherwise
}

func line(data []byte, offset int) int {
	return 1 + bytes.Count(data[:min(max(offset, 0), len(data))], []byte("\n"))
}
