//go:build cgo

package duck

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// instant is a cell that is shown in the session's zone.
type instant struct {
	at   time.Time
	zone *time.Location
}

// cell is the SQL text of a value: nil for NULL, maps and lists as the stream writes them.
func cell(v any) *string {
	var s string
	switch x := v.(type) {
	case nil:
		return nil
	case *string:
		return x
	case *int64:
		if x == nil {
			return nil
		}
		s = fmt.Sprint(*x)
	case []string:
		s = listText(x)
	case map[string]string:
		s = mapText(x)
	case instant:
		s = timeText(x.at.UnixMicro(), x.zone)
	default:
		s = fmt.Sprint(x)
	}
	return &s
}

func cellText(v any) string { return fmt.Sprint(v) }

func listText(items []string) string {
	out := make([]string, len(items))
	for i, s := range items {
		out[i] = jsonString(s)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func mapText(m map[string]string) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, jsonString(k)+": "+jsonString(m[k]))
	}
	return "{" + strings.Join(out, ", ") + "}"
}

// compactJSON is how Delta writes lists and maps inside operation parameters.
func compactJSON(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}
