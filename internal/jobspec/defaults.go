package jobspec

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// isDefaultIn tells that a value means the same as not naming the field: the API's default, or else the zero of its
// type. An entry of a map is never that: its being there is its meaning. Served: the server may have filled it in.
func isDefaultIn(in, f *Field, v any, served bool) bool {
	if in != nil && in.Kind == Map {
		return false
	}
	return f.isDefault(v, served)
}

func (f *Field) isDefault(v any, served bool) bool {
	if served && f != nil && f.Filled {
		return true
	}
	if f != nil && (f.rule.ignored || len(f.rule.defaults) > 0) {
		return f.rule.ignored || slices.ContainsFunc(f.rule.defaults, func(d any) bool { return equal(d, v) })
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
		if f.isPresent() {
			return false
		}
		for name, e := range v {
			if !isDefaultIn(f, f.below(name), e, served) {
				return false
			}
		}
		return true
	case json.Number:
		return v == "0" || sameNumber(string(v), "0")
	}
	return equal(v, json.Number("0"))
}

// isPresent holds for an object that means something though it is empty: a trigger, a cluster, the kind of a task.
func (f *Field) isPresent() bool {
	return f != nil && (f.rule.present || f.IsTaskKind())
}

// IsTaskKind holds for the objects of a task that say what it does, as tasks[].sql_task. A task has one.
func (f *Field) IsTaskKind() bool {
	rest, ok := strings.CutPrefix(f.Pattern, "tasks[].")
	return ok && f.Kind != Text && strings.HasSuffix(rest, "_task") && !strings.Contains(rest, ".")
}

// Written copies live settings without what the server would say unasked, at every depth: what is left is what somebody
// wrote. Compare finds no difference between it and the live settings.
func Written(live Settings) Settings { return object(written(Settled(), live)) }

// Imported is Written with what a write that does not name it would let the server choose anew: the nodes of a cluster, and
// the like. Nobody can tell whether the server chose it before, or somebody.
func Imported(live Settings) Settings {
	return object(imported(Settled(), live))
}

func imported(f *Field, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, e := range v {
			switch below := f.below(name); {
			case e == nil:
			case below != nil && below.rule.explicit && (len(below.rule.defaults) == 0 || !below.isDefault(e, false)):
				out[name] = Prune(e)
			case !isDefaultIn(f, below, e, true):
				out[name] = imported(below, e)
			}
		}
		return out
	case []any:
		out := make([]any, 0, len(v))
		for _, e := range v {
			if e != nil {
				out = append(out, imported(f.element(), e))
			}
		}
		return out
	}
	return v
}

// Reset are the places, in order, that one settings name and others leave to the server, which then chooses anew.
func Reset(were, wanted Settings) []string {
	c := comparison{strict: true}
	c.objects(Settled(), were, wanted)
	var out []string
	for _, d := range c.found {
		if f, ok := knownPlace(d.Path); ok && d.Live == nil && f.Filled {
			out = append(out, d.Path)
		}
	}
	slices.Sort(out)
	return out
}

func written(f *Field, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, e := range v {
			if below := f.below(name); e != nil && !isDefaultIn(f, below, e, true) {
				out[name] = written(below, e)
			}
		}
		return out
	case []any:
		out := make([]any, 0, len(v))
		for _, e := range v {
			if e != nil {
				out = append(out, written(f.element(), e))
			}
		}
		return out
	}
	return v
}

// isAlike holds for values that differ and mean the same, or that the server may choose.
func (f *Field) isAlike(wanted, live any, strict bool) bool {
	if f == nil {
		return false
	}
	if f.rule.ignored || !strict && f.rule.chosen != "" && wanted == f.rule.chosen {
		return true
	}
	w, l := text(wanted), text(live)
	return w != "" && l != "" && slices.ContainsFunc(f.rule.alike, func(group []string) bool { return slices.Contains(group, w) && slices.Contains(group, l) })
}

func equal(a, b any) bool {
	switch x := a.(type) {
	case string:
		y, ok := b.(string)
		return ok && x == y
	case bool:
		y, ok := b.(bool)
		return ok && x == y
	case nil:
		return b == nil
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for k, v := range x {
			if w, ok := y[k]; !ok || !equal(v, w) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, equal)
	}
	x, isNumber := numeral(a)
	y, isAlsoNumber := numeral(b)
	if isNumber && isAlsoNumber {
		return x == y || sameNumber(x, y)
	}
	return !isNumber && !isAlsoNumber && a == b
}

// numeral is a number in whatever type it came, as text.
func numeral(v any) (string, bool) {
	switch n := v.(type) {
	case json.Number:
		return n.String(), true
	case int, int32, int64, uint, uint32, uint64, float32, float64:
		return strings.TrimSuffix(fmt.Sprint(n), ".0"), true
	}
	return "", false
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
