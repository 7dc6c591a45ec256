package jobspec

import (
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
)

// IsSecret tells that the values of a difference are not to be printed: the place is one in which people keep secrets, or
// one that nobody knows, or it holds a text of the configuration's own, which may be marked as sensitive; nothing tells a
// provider of that. Words of enumerations, names, paths, times and the tags of the contract are printed.
func (d Difference) IsSecret() bool {
	if strings.HasPrefix(d.Path, "tags."+contract.TagPrefix) {
		return false
	}
	f, ok := knownPlace(d.Path)
	_, wasText := d.Wanted.(string)
	_, isText := d.Live.(string)
	return !ok || (wasText || isText) && !f.isWord()
}

func (f *Field) isWord() bool {
	name := f.Pattern[strings.LastIndexByte(f.Pattern, '.')+1:]
	switch name {
	case "name", "quartz_cron_expression", "timezone_id":
		return true
	}
	return len(f.Values) > 0 || strings.HasSuffix(name, "_key") || strings.HasSuffix(name, "_path")
}

// knownPlace is the field at a path that Compare gave. It is false for a secret one and for one that nobody knows.
func knownPlace(path string) (*Field, bool) {
	f, rest := Settled(), path
	for rest != "" {
		if f == nil || f.Secret || f.Kind == Any {
			return nil, false
		}
		if f.Kind == Map {
			return f.Element, f.Pattern == "tags"
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
	return f, f != nil && !f.Secret && f.Kind != Any
}
