package jobspec

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// Difference is a place at which a live job is not as wanted. Path names elements of keyed lists by their key, as
// tasks[load].max_retries. Wanted is nil for what is there unasked, Live for what is missing.
type Difference struct {
	Path         string
	Wanted, Live any
}

// Compare finds where a live job differs from the settings wanted of it. What wanted names is compared with the live
// value; what it does not name differs when the live value is not the API's default. Keyed lists are matched by their
// key and sets as sets. Texts are compared as texts, cron expressions too.
func Compare(wanted, live Settings) []Difference {
	c := comparison{rules: newRulebook()}
	c.objects(spot{}, object(Prune(wanted)), object(Prune(live)))
	slices.SortStableFunc(c.found, func(a, b Difference) int { return strings.Compare(a.Path, b.Path) })
	return c.found
}

type comparison struct {
	rules rulebook
	found []Difference
}

// spot is a place in both spellings: for people, and as a pattern of the rules.
type spot struct{ path, pattern string }

func (p spot) field(name string) spot {
	return spot{join(p.path, name), canonical(join(p.pattern, name))}
}

func (p spot) element(name string) spot {
	return spot{p.path + "[" + name + "]", canonical(p.pattern + "[]")}
}

// canonical folds the places that have the same rules: a task inside for_each_task is a task, and every cluster is one.
func canonical(pattern string) string {
	pattern = strings.Replace(pattern, "tasks[].for_each_task.task", "tasks[]", 1)
	for _, c := range []string{"tasks[].new_cluster", "job_clusters[].new_cluster"} {
		if rest, ok := strings.CutPrefix(pattern, c); ok {
			return "new_cluster" + rest
		}
	}
	return pattern
}

func (c *comparison) add(at spot, wanted, live any) {
	c.found = append(c.found, Difference{Path: at.path, Wanted: wanted, Live: live})
}

func (c *comparison) values(at spot, wanted, live any) {
	if _, unknown := wanted.(Unknown); unknown {
		return
	}
	if w, ok := wanted.(map[string]any); ok {
		if l, ok := live.(map[string]any); ok {
			c.objects(at, w, l)
			return
		}
	}
	if w, ok := wanted.([]any); ok {
		if l, ok := live.([]any); ok {
			c.lists(at, w, l)
			return
		}
	}
	if !equal(wanted, live) {
		c.add(at, wanted, live)
	}
}

func (c *comparison) objects(at spot, wanted, live map[string]any) {
	names := maps.Clone(wanted)
	if names == nil {
		names = map[string]any{}
	}
	maps.Copy(names, live)
	// A policy fills in whatever it likes: databricks/cli bundle/direct/dresources/resources.yml.
	byPolicy := at.pattern == "new_cluster" && wanted["apply_policy_default_values"] == true
	for _, name := range slices.Sorted(maps.Keys(names)) {
		p := at.field(name)
		w, isWanted := wanted[name]
		l, isLive := live[name]
		switch {
		case isWanted && isLive:
			c.values(p, w, l)
		case isWanted && !c.rules.isDefault(p.pattern, w) && !c.rules.isInputOnly(p.pattern):
			if _, unknown := w.(Unknown); !unknown {
				c.add(p, w, nil)
			}
		case isLive && !c.rules.isDefault(p.pattern, l) && !c.rules.isFilled(p.pattern) && !byPolicy:
			c.add(p, nil, l)
		}
	}
}

func (c *comparison) lists(at spot, wanted, live []any) {
	pattern := canonical(at.pattern + "[]")
	if isSet(pattern) {
		if !equalSets(wanted, live) {
			c.add(at, wanted, live)
		}
		return
	}
	key := keyOf(pattern)
	w, okWanted := byKey(wanted, key)
	l, okLive := byKey(live, key)
	if key == "" || !okWanted || !okLive {
		c.positions(at, wanted, live)
		return
	}
	names := maps.Clone(w)
	maps.Copy(names, l)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		p := at.element(name)
		switch e, isWanted := w[name]; {
		case !isWanted:
			c.add(p, nil, l[name])
		case l[name] == nil:
			c.add(p, e, nil)
		default:
			c.values(p, e, l[name])
		}
	}
}

func (c *comparison) positions(at spot, wanted, live []any) {
	for i := range max(len(wanted), len(live)) {
		p := at.element(fmt.Sprint(i))
		switch {
		case i >= len(wanted):
			c.add(p, nil, live[i])
		case i >= len(live):
			c.add(p, wanted[i], nil)
		default:
			c.values(p, wanted[i], live[i])
		}
	}
}

// byKey is false when an element has no key or shares it: then only positions are left.
func byKey(elements []any, key string) (map[string]any, bool) {
	out := map[string]any{}
	for _, e := range elements {
		name := text(object(e)[key])
		if name == "" || out[name] != nil {
			return nil, false
		}
		out[name] = e
	}
	return out, true
}

// isDefault tells that a value means the same as not naming the field: the API's default, or else the zero of its type.
func (b rulebook) isDefault(pattern string, v any) bool {
	if r, ok := b[pattern]; ok && len(r.defaults) > 0 {
		for _, d := range r.defaults {
			if equal(d, v) {
				return true
			}
		}
		return false
	}
	switch v := v.(type) {
	case nil:
		return true
	case bool:
		return !v
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		for name, e := range v {
			if p := canonical(join(pattern, name)); !b.isDefault(p, e) && !b.isFilled(p) {
				return false
			}
		}
		return true
	}
	return equal(v, json.Number("0"))
}

// Written copies live settings without what the server would say unasked, at every depth: what is left is what somebody
// wrote. Compare finds no difference between it and the live settings.
func Written(live Settings) Settings {
	return newRulebook().writtenObject("", object(Prune(live)))
}

func (b rulebook) writtenObject(pattern string, live map[string]any) map[string]any {
	out := map[string]any{}
	for name, v := range live {
		if p := canonical(join(pattern, name)); !b.isDefault(p, v) && !b.isFilled(p) {
			out[name] = b.written(p, v)
		}
	}
	return out
}

func (b rulebook) written(pattern string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		return b.writtenObject(pattern, v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = b.written(canonical(pattern+"[]"), e)
		}
		return out
	}
	return v
}

func equalSets(a, b []any) bool {
	return slices.Equal(sortedTexts(a), sortedTexts(b))
}

func sortedTexts(l []any) []string {
	var out []string
	for _, e := range l {
		out = append(out, canonicalText(e))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// canonicalText has one spelling for equal values: encoding/json sorts keys.
func canonicalText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

func equal(a, b any) bool {
	x, isNumber := numeral(a)
	y, isAlsoNumber := numeral(b)
	if isNumber && isAlsoNumber {
		return x == y || sameNumber(x, y)
	}
	if isNumber != isAlsoNumber {
		return false
	}
	m, isObject := a.(map[string]any)
	n, isAlsoObject := b.(map[string]any)
	if isObject && isAlsoObject {
		return maps.EqualFunc(m, n, equal)
	}
	l, isList := a.([]any)
	k, isAlsoList := b.([]any)
	if isList && isAlsoList {
		return slices.EqualFunc(l, k, equal)
	}
	if isObject || isAlsoObject || isList || isAlsoList {
		return false
	}
	return a == b
}

func sameNumber(a, b string) bool {
	const longest = 40 // beyond this nobody writes a number, and an exponent could cost all memory
	if len(a) > longest || len(b) > longest || strings.ContainsAny(a+b, "eE") {
		return false
	}
	x, ok := new(big.Rat).SetString(a)
	y, alsoOK := new(big.Rat).SetString(b)
	return ok && alsoOK && x.Cmp(y) == 0
}
