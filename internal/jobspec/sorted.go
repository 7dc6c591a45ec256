package jobspec

import (
	"slices"
	"strings"
)

// Sorted copies settings with every keyed list in the order of its keys and every set in the order of its elements:
// the API returns both in any order, and a reader that has nothing to compare with would see a change in each.
func Sorted(s Settings) Settings { return sortedObject("", s) }

func sortedObject(pattern string, in map[string]any) map[string]any {
	out := make(map[string]any, len(in))
	for name, v := range in {
		out[name] = sorted(canonical(join(pattern, name)), v)
	}
	return out
}

func sorted(pattern string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		return sortedObject(pattern, v)
	case []any:
		pattern = canonical(pattern + "[]")
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = sorted(pattern, e)
		}
		key := keyOf(pattern)
		switch _, keyed := byKey(out, key); {
		case keyed:
			slices.SortStableFunc(out, func(a, b any) int { return strings.Compare(text(object(a)[key]), text(object(b)[key])) })
		case isSet(pattern):
			slices.SortStableFunc(out, func(a, b any) int { return strings.Compare(canonicalText(a), canonicalText(b)) })
		}
		return out
	}
	return v
}
