package jobspec

import (
	"maps"
	"slices"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
)

// Beside is a live job as it is to be compared with the settings that stand beside typed attributes: without what the
// attributes own, unless the settings say it too; then it is as they say, since the attribute shows what differs.
func Beside(live, written Settings, a Attributes) Settings {
	out := maps.Clone(live)
	for _, name := range []string{"name", "timeout_seconds", "permissions", "lifecycle"} {
		take(out, written, name)
	}
	fields := map[string][]string{
		"schedule":   {"quartz_cron_expression", "timezone_id", "pause_status"},
		"continuous": {"task_retry_mode", "pause_status"},
		"trigger":    {"pause_status"},
	}
	if object(a.Settings["trigger"]) != nil {
		fields["trigger"] = append(fields["trigger"], "periodic")
	}
	for name, owned := range fields {
		if object(out[name]) == nil && object(written[name]) == nil {
			continue
		}
		part := maps.Clone(object(out[name]))
		if part == nil {
			part = map[string]any{}
		}
		for _, field := range owned {
			take(part, object(written[name]), field)
		}
		out[name] = part
		if len(part) == 0 && written[name] == nil {
			delete(out, name)
		}
	}
	if l := list(out["triggers"]); l != nil {
		out["triggers"] = unpaused(l, list(written["triggers"]))
	}
	if tags := object(out["tags"]); tags != nil {
		out["tags"] = ownTags(tags, object(written["tags"]))
	}
	return out
}

// take makes a field what the settings say of it, if anything.
func take(out, written map[string]any, name string) {
	delete(out, name)
	if v := written[name]; v != nil {
		out[name] = v
	}
}

// unpaused takes the pause out of each trigger, or makes it what the settings say: it is the same for all of them.
func unpaused(live, written []any) []any {
	var said any
	for _, t := range written {
		if status := object(t)["pause_status"]; status != nil {
			said = status
		}
	}
	out := slices.Clone(live)
	for i, t := range out {
		m := maps.Clone(object(t))
		take(m, map[string]any{"pause_status": said}, "pause_status")
		out[i] = m
	}
	return out
}

func ownTags(live, written map[string]any) map[string]any {
	out := maps.Clone(live)
	maps.DeleteFunc(out, func(k string, _ any) bool { return strings.HasPrefix(k, contract.TagPrefix) })
	for k, v := range written {
		if strings.HasPrefix(k, contract.TagPrefix) {
			out[k] = v
		}
	}
	return out
}

// With completes settings with what attributes say: the body that is sent. What belongs to bundles is left out.
func With(written Settings, a Attributes) Settings {
	out := maps.Clone(written)
	if out == nil {
		out = Settings{}
	}
	delete(out, "permissions")
	delete(out, "lifecycle")
	for name, v := range a.Settings {
		if part, ok := v.(map[string]any); ok {
			merged := maps.Clone(object(out[name]))
			if merged == nil {
				merged = map[string]any{}
			}
			maps.Copy(merged, part)
			v = merged
		}
		out[name] = v
	}
	return out
}

// IsSame tells whether two settings, one as it was and one as it is to be, ask for the same job: in another order or
// spelling, with defaults written out or left out. A field that is not given back, or that the server fills in, is the
// same only when both name it alike.
func IsSame(a, b Settings) bool {
	c := comparison{strict: true}
	c.objects(Settled(), a, b)
	return len(c.found) == 0
}
