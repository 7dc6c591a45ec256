package provider

import (
	"fmt"
	"slices"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
)

// asLive returns wanted settings changed at exactly the places at which the live job differs, so that a plan shows those
// places and nothing else: order, spelling and what is left to defaults stay as they were written.
func asLive(wanted jobspec.Settings, differences []jobspec.Difference) jobspec.Settings {
	p := patch{at: map[string]jobspec.Difference{}}
	for _, d := range differences {
		p.at[d.Path] = d
	}
	return p.object("", wanted)
}

// patch walks settings with the paths that jobspec.Compare gives to places.
type patch struct{ at map[string]jobspec.Difference }

func (p patch) object(path string, wanted map[string]any) map[string]any {
	out := make(map[string]any, len(wanted))
	for name, value := range wanted {
		if changed, keep := p.value(field(path, name), value); keep {
			out[name] = changed
		}
	}
	for place, d := range p.at {
		name, below := strings.CutPrefix(place, prefix(path))
		if below && d.Wanted == nil && !isWithin(wanted, name) {
			out[name] = d.Live
		}
	}
	return out
}

// isWithin tells whether a place below an object is in one of its fields. The keys of a map may hold dots themselves
// (spark_conf), so a dot alone says nothing.
func isWithin(object map[string]any, place string) bool {
	for name := range object {
		rest, ok := strings.CutPrefix(place, name)
		if ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}
	return false
}

// value is false when the live job does not have the place.
func (p patch) value(path string, wanted any) (any, bool) {
	if d, ok := p.at[path]; ok {
		return d.Live, d.Live != nil
	}
	switch wanted := wanted.(type) {
	case map[string]any:
		return p.object(path, wanted), true
	case []any:
		return p.list(path, wanted), true
	}
	return wanted, true
}

func (p patch) list(path string, wanted []any) []any {
	out, seen := []any{}, map[string]bool{}
	for i, e := range wanted {
		place := p.element(path, i, e)
		seen[place] = true
		if changed, keep := p.value(place, e); keep {
			out = append(out, changed)
		}
	}
	for _, place := range p.sorted(path + "[") {
		if d := p.at[place]; d.Wanted == nil && !seen[place] && strings.HasSuffix(place, "]") && strings.Count(place[len(path):], "[") == 1 {
			out = append(out, d.Live)
		}
	}
	return out
}

// element is the path of an element: by the key under which the comparison knows it, else by its position.
func (p patch) element(path string, i int, e any) string {
	object, _ := e.(map[string]any)
	for _, key := range []string{"task_key", "job_cluster_key", "environment_key", "name", "metric", "id"} {
		name, ok := object[key].(string)
		if !ok {
			continue
		}
		place := path + "[" + name + "]"
		for known := range p.at {
			if strings.HasPrefix(known, place) {
				return place
			}
		}
	}
	return fmt.Sprintf("%s[%d]", path, i)
}

func (p patch) sorted(start string) []string {
	var places []string
	for place := range p.at {
		if strings.HasPrefix(place, start) {
			places = append(places, place)
		}
	}
	slices.Sort(places)
	return places
}

func field(path, name string) string { return prefix(path) + name }

func prefix(path string) string {
	if path == "" {
		return ""
	}
	return path + "."
}
