package jobspec

import "strings"

// IsSecret tells that the values of a difference are not to be printed: the place is one in which people keep secrets, or
// one that nobody knows. Tags of the job are no secrets, since everybody sees them.
func (d Difference) IsSecret() bool {
	f, rest := Settled(), d.Path
	for rest != "" {
		if f == nil || f.Secret || f.Kind == Any {
			return true
		}
		if f.Kind == Map {
			return f.Pattern != "tags"
		}
		if rest[0] == '[' {
			_, after, _ := strings.Cut(rest, "]")
			f, rest = f.element(), strings.TrimPrefix(after, ".")
			continue
		}
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			end = len(rest)
		}
		f, rest = f.below(rest[:end]), strings.TrimPrefix(rest[end:], ".")
	}
	return f == nil || f.Secret && f.Pattern != "tags.*" || f.Kind == Any
}
