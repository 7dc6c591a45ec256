package jobspec

import (
	"maps"
	"slices"
	"strconv"
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
	_, found := Refresh(wanted, live)
	return found
}

// Refresh compares, and returns wanted changed at exactly the places at which the live job differs: order, spelling and
// what is left to defaults stay as they were written. Where nothing differs it is wanted itself. Neither argument is
// changed, and the result shares parts with both.
func Refresh(wanted, live Settings) (Settings, []Difference) {
	c := comparison{}
	now := c.objects(Settled(), wanted, live)
	slices.SortStableFunc(c.found, func(a, b Difference) int { return strings.Compare(a.Path, b.Path) })
	return now, c.found
}

// Unseen are the places of wanted settings that the API takes and does not give back: a live job says nothing of them.
func Unseen(wanted, live Settings) []string {
	c := comparison{}
	c.objects(Settled(), wanted, live)
	slices.Sort(c.unseen)
	return slices.Compact(c.unseen)
}

// comparison walks both settings at once. The path is written only for a difference.
type comparison struct {
	steps []pathStep
	found []Difference
	// byPolicy is set inside a cluster whose policy fills in whatever it likes.
	byPolicy bool
	// unseen are places of fields that are not given back.
	unseen []string
	// strict: both sides are what somebody wrote, and none is what a server made of it.
	strict bool
}

// pathStep is a field, the key of an element, or else a position.
type pathStep struct {
	name      string
	isElement bool
	position  int
}

func (c *comparison) path() string {
	var b strings.Builder
	for _, s := range c.steps {
		switch {
		case s.isElement && s.name == "":
			b.WriteString("[" + strconv.Itoa(s.position) + "]")
		case s.isElement:
			b.WriteString("[" + s.name + "]")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.name)
		}
	}
	return b.String()
}

func (c *comparison) add(s pathStep, wanted, live any) {
	c.steps = append(c.steps, s)
	c.found = append(c.found, Difference{Path: c.path(), Wanted: wanted, Live: live})
	c.steps = c.steps[:len(c.steps)-1]
}

// at compares one place, and tells whether it is otherwise now.
func (c *comparison) at(s pathStep, f *Field, wanted, live any) (any, bool) {
	before := len(c.found)
	c.steps = append(c.steps, s)
	now := c.values(f, wanted, live)
	c.steps = c.steps[:len(c.steps)-1]
	return now, len(c.found) > before
}

func (c *comparison) values(f *Field, wanted, live any) any {
	switch w := wanted.(type) {
	case Unknown:
		return wanted
	case map[string]any:
		if l, ok := live.(map[string]any); ok {
			return c.objects(f, w, l)
		}
	case []any:
		if l, ok := live.([]any); ok {
			return c.lists(f, w, l)
		}
	}
	if equal(wanted, live) || f.isAlike(wanted, live, c.strict) {
		return wanted
	}
	c.found = append(c.found, Difference{Path: c.path(), Wanted: wanted, Live: live})
	return live
}

func (c *comparison) objects(f *Field, wanted, live map[string]any) map[string]any {
	out, copied := wanted, false
	change := func(name string, v any) {
		if !copied {
			out, copied = maps.Clone(wanted), true
		}
		if v == nil {
			delete(out, name)
			return
		}
		if out == nil {
			out = map[string]any{}
		}
		out[name] = v
	}
	defer func(was bool) { c.byPolicy = was }(c.byPolicy)
	// databricks/cli bundle/direct/dresources/resources.yml; compute/model.go, is_single_node.
	c.byPolicy = c.byPolicy || !c.strict && (wanted["apply_policy_default_values"] == true || wanted["is_single_node"] == true)
	for name, w := range wanted {
		if w == nil {
			continue
		}
		below := f.below(name)
		if l := live[name]; l != nil {
			if now, changed := c.at(pathStep{name: name}, below, w, l); changed {
				change(name, now)
			}
		} else if c.isMissing(f, below, name, w) {
			c.add(pathStep{name: name}, w, nil)
			change(name, nil)
		}
	}
	for name, l := range live {
		if l == nil || wanted[name] != nil || c.byPolicy {
			continue
		}
		if below := f.below(name); !isDefaultIn(f, below, l, !c.strict) {
			c.add(pathStep{name: name}, nil, l)
			change(name, written(below, l))
		}
	}
	return out
}

// isMissing tells whether a value that is wanted and not there is a difference.
func (c *comparison) isMissing(in, f *Field, name string, wanted any) bool {
	if _, unknown := wanted.(Unknown); unknown {
		return false
	}
	if isDefaultIn(in, f, wanted, false) {
		return false
	}
	if f == nil || !f.InputOnly || c.strict {
		return true
	}
	c.unseen = append(c.unseen, strings.TrimPrefix(c.path()+"."+name, "."))
	return false
}

// lists compares two lists. Nulls are as if not written, and stay where they are.
func (c *comparison) lists(f *Field, wanted, live []any) []any {
	live = withoutNulls(live)
	if f != nil && f.Key != "" {
		if w, l, ok := c.pairs(f.Key, wanted, live); ok {
			return c.matched(f, w, l, wanted)
		}
	}
	if f != nil && f.Set {
		return c.sets(f, wanted, live)
	}
	return c.positions(f, wanted, live)
}

// pairs finds the live element of each wanted one by its key, and the live ones that nobody wants. It is false where a
// key is missing or comes twice.
func (c *comparison) pairs(key string, wanted, live []any) (pairs, extra []any, ok bool) {
	byKey := make(map[string]int, len(live))
	for i, e := range live {
		name := text(object(e)[key])
		if _, twice := byKey[name]; twice || name == "" {
			return nil, nil, false
		}
		byKey[name] = i
	}
	pairs = make([]any, len(wanted))
	seen := make(map[string]bool, len(wanted))
	for i, e := range wanted {
		if e == nil {
			continue
		}
		name := text(object(e)[key])
		if name == "" || seen[name] {
			return nil, nil, false
		}
		seen[name] = true
		if at, found := byKey[name]; found {
			pairs[i] = live[at]
			delete(byKey, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byKey)) {
		extra = append(extra, live[byKey[name]])
	}
	return pairs, extra, true
}

// matched compares the elements of a keyed list with their partners.
func (c *comparison) matched(f *Field, partners, extra, wanted []any) []any {
	before := len(c.found)
	out := make([]any, 0, len(wanted)+len(extra))
	for i, w := range wanted {
		if w == nil {
			out = append(out, nil)
			continue
		}
		s := pathStep{name: text(object(w)[f.Key]), isElement: true}
		if partners[i] == nil {
			c.add(s, w, nil)
			continue
		}
		now, _ := c.at(s, f.Element, w, partners[i])
		out = append(out, now)
	}
	for _, l := range extra {
		c.add(pathStep{name: text(object(l)[f.Key]), isElement: true}, nil, l)
		out = append(out, written(f.Element, l))
	}
	if len(c.found) == before {
		return wanted
	}
	return out
}

func (c *comparison) positions(f *Field, wanted, live []any) []any {
	before := len(c.found)
	out := make([]any, 0, max(len(wanted), len(live)))
	at := 0
	for _, w := range wanted {
		s := pathStep{isElement: true, position: at}
		switch {
		case w == nil:
			out = append(out, nil)
			continue
		case at >= len(live):
			c.add(s, w, nil)
		default:
			now, _ := c.at(s, f.element(), w, live[at])
			out = append(out, now)
		}
		at++
	}
	for ; at < len(live); at++ {
		c.add(pathStep{isElement: true, position: at}, nil, live[at])
		out = append(out, written(f.element(), live[at]))
	}
	if len(c.found) == before {
		return wanted
	}
	return out
}

// sets compares lists whose order has no meaning, as a whole: what nobody wants is added at the end.
func (c *comparison) sets(f *Field, wanted, live []any) []any {
	left := slices.Clone(live)
	var kept []any
	for _, w := range wanted {
		if w == nil {
			kept = append(kept, nil)
			continue
		}
		at := slices.IndexFunc(left, func(l any) bool { return c.isSame(f.Element, w, l) })
		if at < 0 && !slices.ContainsFunc(kept, func(k any) bool { return c.isSame(f.Element, w, k) }) {
			continue
		}
		if at >= 0 {
			left = slices.Delete(left, at, at+1)
		}
		kept = append(kept, w)
	}
	left = slices.DeleteFunc(left, func(l any) bool {
		return slices.ContainsFunc(kept, func(k any) bool { return c.isSame(f.Element, k, l) })
	})
	if len(kept) == len(wanted) && len(left) == 0 {
		return wanted
	}
	c.found = append(c.found, Difference{Path: c.path(), Wanted: wanted, Live: live})
	for _, l := range left {
		kept = append(kept, written(f.Element, l))
	}
	return kept
}

// isSame tells whether an element of a set is the one wanted.
func (c *comparison) isSame(f *Field, wanted, live any) bool {
	if a, ok := wanted.(string); ok {
		b, ok := live.(string)
		return ok && a == b
	}
	one := comparison{strict: c.strict, steps: slices.Clone(c.steps)}
	one.values(f, wanted, live)
	if len(one.found) > 0 {
		return false
	}
	c.unseen = append(c.unseen, one.unseen...)
	return true
}

func withoutNulls(l []any) []any {
	if !slices.Contains(l, nil) {
		return l
	}
	return slices.DeleteFunc(slices.Clone(l), func(e any) bool { return e == nil })
}
