package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
)

// validate checks everything that needs no workspace. What is unknown is not judged yet.
func (m loaderJobModel) validate(ctx context.Context, diags *diag.Diagnostics) {
	m.validateTriggers(diags)
	m.validateContract(ctx, diags)
	m.validateSettings(ctx, diags)
	if n := m.Periodic; isKnown(n) && !n.IsNull() {
		var v periodicModel
		fields(ctx, n, &v, diags)
		if v.Interval.ValueInt64() < 1 {
			diags.AddAttributeError(path.Root("periodic").AtName("interval"), "Wrong interval", fmt.Sprintf("periodic.interval = %d: write 1 or more.", v.Interval.ValueInt64()))
		}
	}
	if r := m.Reads.ValueString(); (r == "event_hubs" || r == "kafka") && m.BrokerRetention.IsNull() {
		diags.AddAttributeError(path.Root("broker_retention"), "broker_retention is missing",
			fmt.Sprintf("reads = %q: how long the broker keeps an event is the limit a pause must stay under, and only you know it. Set broker_retention (broker_retention = \"7d\").", r))
	}
}

// validateTriggers wants exactly one trigger. An unknown one may turn out null.
func (m loaderJobModel) validateTriggers(diags *diag.Diagnostics) {
	var set, open []string
	for _, t := range []struct {
		name  string
		value attr.Value
	}{{"schedule", m.Schedule}, {"periodic", m.Periodic}, {"continuous", m.Continuous}} {
		switch {
		case t.value.IsUnknown():
			open = append(open, t.name)
		case !t.value.IsNull():
			set = append(set, t.name)
		}
	}
	if m.Settings.IsUnknown() {
		open = append(open, "settings")
	}
	inSettings, maybe := m.settingsTriggers(diags)
	set, open = append(set, inSettings...), append(open, maybe...)
	switch {
	case len(set) > 1:
		diags.AddAttributeError(path.Root(rootOf(set[1])), "More than one trigger", fmt.Sprintf("%s are set, and a job has one trigger. Keep one of them.", strings.Join(set, " and ")))
	case len(set) == 0 && len(open) == 0:
		diags.AddAttributeError(path.Root("schedule"), "No trigger",
			"Nothing starts this job. Set one of schedule, periodic and continuous, or write trigger or triggers in settings.")
	}
}

// settingsTriggers are the triggers in settings that no attribute owns, and those that may be.
func (m loaderJobModel) settingsTriggers(diags *diag.Diagnostics) (set, open []string) {
	s := m.written(diags).settings
	for name, attribute := range map[string]attr.Value{"schedule": m.Schedule, "continuous": m.Continuous, "trigger": nil, "triggers": nil} {
		value := s[name]
		if value == nil || attribute != nil && !attribute.IsNull() || isEmptyList(value) {
			continue
		}
		if trigger, ok := value.(map[string]any); ok && name == "trigger" && !m.Periodic.IsNull() {
			// The attribute owns the kind periodic, and another kind is another trigger.
			kinds := maps.Clone(trigger)
			maps.DeleteFunc(kinds, func(k string, v any) bool {
				return v == nil || k == "periodic" || k == "pause_status" || k == "sql_condition"
			})
			if len(kinds) == 0 {
				continue
			}
		}
		if _, unknown := value.(jobspec.Unknown); unknown {
			open = append(open, "settings."+name)
			continue
		}
		set = append(set, "settings."+name)
	}
	slices.Sort(set)
	return set, open
}

func rootOf(name string) string {
	root, _, _ := strings.Cut(name, ".")
	return root
}

func (m loaderJobModel) validateContract(ctx context.Context, diags *diag.Diagnostics) {
	attributes := map[string]attr.Value{"source": m.Source, "target": m.Target, "key": m.Key, "event_time": m.EventTime, "settle_clock": m.SettleClock,
		"evidence": m.Evidence, "reads": m.Reads}
	for _, p := range m.toContract(ctx, diags).Validate() {
		if v, ok := attributes[rootOf(p.Field)]; ok && !isKnown(v) {
			continue
		}
		diags.AddAttributeError(contractPath(p.Field), "Wrong "+p.Field, contractText(p))
	}
}

func contractPath(field string) path.Path {
	parts := strings.Split(field, ".")
	p := path.Root(parts[0])
	for _, part := range parts[1:] {
		p = p.AtName(part)
	}
	return p
}

func contractText(p contract.Problem) string {
	text := p.Field
	if p.Value != "" {
		text += fmt.Sprintf(" %q", p.Value)
	}
	return sentence(text+": "+p.Reason) + "\n\n" + sentence(p.Hint)
}

func (m loaderJobModel) validateSettings(ctx context.Context, diags *diag.Diagnostics) {
	if m.Settings.IsUnknown() || m.Settings.IsNull() {
		return
	}
	written := m.written(diags)
	triggers, _ := m.settingsTriggers(diags)
	for _, p := range jobspec.Validate(written.settings, m.attributes(ctx, diags)) {
		detail := "settings." + p.Place() + ": " + sentence(p.Detail)
		switch {
		case p.Warning && m.ID.IsNull(): // a plan, which has an id or will, has said it while validating
			diags.AddAttributeWarning(settingsPath(p.Path), p.Summary, detail)
		case p.Warning:
		case len(p.Path) == 1 && len(triggers) > 0 && m.hasTrigger() && slices.Contains(triggers, "settings."+p.Place()): // two triggers, which is said already
		default:
			diags.AddAttributeError(settingsPath(p.Path), p.Summary, detail)
		}
	}
	if tasks, ok := written.settings["tasks"]; !diags.HasError() && (!ok || isEmptyList(tasks)) {
		diags.AddAttributeError(path.Root("settings"), "A loader without tasks",
			"settings.tasks is empty or missing: such a job succeeds at once and loads nothing. Name at least one task, as tasks = [{ task_key = \"load\", ... }].")
	}
}

// hasTrigger tells that an attribute starts the job.
func (m loaderJobModel) hasTrigger() bool {
	return !m.Schedule.IsNull() || !m.Periodic.IsNull() || !m.Continuous.IsNull()
}

// settingsPath leads to the field of settings that holds a problem: Terraform finds the line of a key of a value, and of
// nothing deeper (tfdiags, hclRangeFromIndexStepAndAttribute). The message names the whole path.
func settingsPath(steps []any) path.Path {
	root := path.Root("settings")
	if len(steps) > 0 {
		if field, ok := steps[0].(string); ok {
			return root.AtMapKey(field)
		}
	}
	return root
}

func isEmptyList(v any) bool {
	list, ok := v.([]any)
	return v == nil || ok && len(list) == 0
}
