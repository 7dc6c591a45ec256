package local

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
)

// Settings are JSON objects with json.Number for numbers. A map that is stored in the book is never changed in place:
// writers clone it first.
type settings = map[string]any

func decodeJSON(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("text after the end of the document")
	}
	return nil
}

func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return cloneMap(v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = clone(e)
		}
		return out
	}
	return v
}

func cloneMap(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = clone(v)
	}
	return out
}

func object(v any) map[string]any { m, _ := v.(map[string]any); return m }

func list(v any) []any { l, _ := v.([]any); return l }

func text(v any) string { s, _ := v.(string); return s }

func truth(v any) bool { b, _ := v.(bool); return b }

// integer reads a number, or a text that holds one.
func integer(v any) (int64, bool) {
	switch v := v.(type) {
	case json.Number:
		n, err := v.Int64()
		return n, err == nil
	case string:
		n, err := strconv.ParseInt(v, 10, 64)
		return n, err == nil
	case int:
		return int64(v), true
	case int64:
		return v, true
	}
	return 0, false
}

func texts(v any) map[string]string {
	m := object(v)
	out := make(map[string]string, len(m))
	for k, e := range m {
		out[k] = plain(e)
	}
	return out
}

// plain is a scalar as a parameter value.
func plain(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case nil:
		return ""
	}
	return fmt.Sprint(v)
}

func setDefault(m map[string]any, key string, value any) {
	if v, ok := m[key]; !ok || v == nil {
		m[key] = value
	}
}

func shuffle(l []any, seed, turn uint64) {
	r := rand.New(rand.NewPCG(seed, turn))
	r.Shuffle(len(l), func(i, j int) { l[i], l[j] = l[j], l[i] })
}
