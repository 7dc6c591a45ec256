package jobspec

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
)

// Attributes are what the typed attributes of a resource say, as the settings of a job have it: name, timeout_seconds,
// schedule, continuous, trigger.periodic, and the tags of the contract. Unknown stands for what may turn out anything.
type Attributes struct {
	Settings Settings
	// PauseStatus is what is written into the trigger, a text or Unknown. Nil: no attribute has it.
	PauseStatus any
}

// continuous names the place that makes the job a continuous one.
func (a Attributes) continuous(s Settings) string {
	switch {
	case object(a.Settings["continuous"]) != nil:
		return "continuous"
	case object(s["continuous"]) != nil:
		return "settings.continuous"
	}
	for i, t := range list(s["triggers"]) {
		if object(object(t)["continuous"]) != nil {
			return fmt.Sprintf("settings.triggers[%d].continuous", i)
		}
	}
	return ""
}

// owned finds fields of settings that say other than the attribute they belong to: two places for one value would
// contradict each other one day. A field that says the same may stand, so that a bundle's job can be given as it is.
func (v *validation) owned(s Settings, a Attributes) {
	for _, name := range []string{"name", "timeout_seconds"} {
		v.same(name, s[name], a.Settings[name])
	}
	v.ownedTrigger(s, a, "schedule", []string{"quartz_cron_expression", "timezone_id"})
	v.ownedTrigger(s, a, "continuous", []string{"task_retry_mode"})
	if periodic := object(a.Settings["trigger"])["periodic"]; periodic != nil {
		v.within("trigger", func() {
			for _, name := range []string{"interval", "unit"} {
				v.under("periodic", name, object(object(s["trigger"])["periodic"])[name], object(periodic)[name], a.Settings["trigger"])
			}
		}, s["trigger"])
	}
	for _, name := range []string{"schedule", "continuous", "trigger"} {
		v.at(name, func() { v.pause(object(s[name]), a) })
	}
	for i, t := range list(s["triggers"]) {
		v.at("triggers", func() { v.at(i, func() { v.pause(object(t), a) }) })
	}
	v.ownedTags(object(s["tags"]), a.Settings["tags"])
}

// ownedTrigger compares a trigger that has an attribute of its own.
func (v *validation) ownedTrigger(s Settings, a Attributes, kind string, fields []string) {
	written, attribute := object(s[kind]), a.Settings[kind]
	if written == nil {
		return
	}
	if attribute == nil {
		var parts []string
		for _, name := range fields {
			if t := text(written[name]); t != "" {
				parts = append(parts, fmt.Sprintf("%s = %q", name, t))
			}
		}
		line := kind + " = { " + strings.Join(parts, ", ") + " }"
		if len(parts) == 0 {
			line = kind + " = {}"
		}
		v.at(kind, func() { v.unset(kind, line) })
		return
	}
	for _, name := range fields {
		said := object(attribute)[name]
		if said == nil && object(attribute) != nil && root().below(kind).below(name).isDefault(written[name], false) {
			continue
		}
		v.under(kind, name, written[name], said, attribute)
	}
}

// under compares a field of an object that an attribute owns. Unknown objects are not judged.
func (v *validation) under(kind, name string, written, said, attribute any) {
	if _, unknown := attribute.(Unknown); unknown {
		return
	}
	v.at(kind, func() { v.compareOwned(name, kind+"."+name, written, said, "") })
}

// same compares a field that an attribute owns as a whole.
func (v *validation) same(name string, written, said any) {
	attribute, line := name, ""
	if _, open := written.(Unknown); !open && name == "timeout_seconds" && !isInteger(written) {
		return // its type is wrong, which is found with the fields
	}
	switch name {
	case "name":
		line = fmt.Sprintf("name = %q", text(written))
	case "timeout_seconds":
		attribute = "max_duration"
		line = fmt.Sprintf("max_duration = %q", (time.Duration(whole(written)) * time.Second).String())
		if whole(written) == 0 {
			line = `max_duration = "20m"`
		}
	}
	v.compareOwned(name, attribute, written, said, line)
}

func (v *validation) compareOwned(name, attribute string, written, said any, line string) {
	_, unknown := said.(Unknown)
	_, open := written.(Unknown)
	if written == nil || unknown || open || equal(written, said) || bundleReference(text(written)) != "" {
		return
	}
	_, wantsText := said.(string)
	if _, isText := written.(string); wantsText && !isText {
		return // its type is wrong, which is found with the fields
	}
	v.at(name, func() {
		if said == nil && line != "" {
			v.unset(attribute, line)
			return
		}
		if said == nil {
			said = "nothing"
		}
		if line != "" {
			line = ", or write " + line
		}
		v.add(fmt.Sprintf("%s belongs to the attribute %s", v.place(), attribute), "It says %v, and the attribute %s says %v. Leave it out of settings%s: the attribute is what Watertight checks.", written, attribute, said, line)
	})
}

func (v *validation) unset(attribute, line string) {
	v.add(fmt.Sprintf("%s belongs to the attribute %s", v.place(), attribute), "It stands in settings alone. Set the attribute, which is what Watertight checks: %s. Then it may stay in settings too.", line)
}

func (v *validation) pause(t map[string]any, a Attributes) {
	status, ok := t["pause_status"].(string)
	if !ok || a.PauseStatus == nil || !slices.Contains([]string{Paused, Unpaused}, status) {
		return
	}
	v.compareOwned("pause_status", "pause_status", status, a.PauseStatus, fmt.Sprintf("pause_status = %q", status))
}

// ownedTags compares the tags that hold the contract, and refuses others of Watertight's: they would make the job look
// like one of another kind or another resource.
func (v *validation) ownedTags(tags map[string]any, said any) {
	attributes := object(said)
	if _, unknown := said.(Unknown); unknown {
		return
	}
	for _, k := range slices.Sorted(maps.Keys(tags)) {
		if !strings.HasPrefix(k, contract.TagPrefix) || tags[k] == nil {
			continue
		}
		v.at("tags", func() {
			if contract.IsContractTag(k) {
				v.compareOwned(k, strings.TrimPrefix(k, contract.TagPrefix), tags[k], attributes[k], "")
				return
			}
			v.at(k, func() {
				v.add(v.place()+" is reserved", "Tags that begin with %s are Watertight's: it tells by them what a job is for and which resource made it. Give the tag another name, or leave it out of settings.", contract.TagPrefix)
			})
		})
	}
}
