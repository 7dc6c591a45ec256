package jobspec

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Sorted copies settings with every keyed list in the order of its keys and every set in the order of its elements:
// the API returns both in any order, and a reader that has nothing to compare with would see a change in each.
func Sorted(s Settings) Settings { return object(sorted(Settled(), s)) }

func sorted(f *Field, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, e := range v {
			out[name] = sorted(f.below(name), e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = sorted(f.element(), e)
		}
		if f == nil || f.Key == "" && !f.Set {
			return out
		}
		// Elements that share their key stay in the order of their texts.
		slices.SortStableFunc(out, func(a, b any) int {
			if c := strings.Compare(text(object(a)[f.Key]), text(object(b)[f.Key])); c != 0 || !f.Set {
				return c
			}
			return strings.Compare(canonicalText(a), canonicalText(b))
		})
		return out
	}
	return v
}

// canonicalText has one spelling for equal values: encoding/json sorts keys.
func canonicalText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}
