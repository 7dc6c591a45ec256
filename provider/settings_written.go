package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
)

// writtenSettings are the settings as the user wrote them, nulls left out.
type writtenSettings struct {
	settings jobspec.Settings
	// known is false when something inside is not known yet.
	known bool
}

func (m loaderJobModel) written(diags *diag.Diagnostics) writtenSettings {
	if m.Settings.IsNull() {
		return writtenSettings{settings: jobspec.Settings{}, known: true}
	}
	r, err := toRaw(m.Settings)
	if err != nil {
		diags.AddAttributeError(path.Root("settings"), "Wrong settings", sentence("settings."+err.Error()))
		return writtenSettings{settings: jobspec.Settings{}}
	}
	settings, ok := r.value.(map[string]any)
	if !ok && r.known {
		diags.AddAttributeError(path.Root("settings"), "Wrong settings", fmt.Sprintf("settings must be an object, as in settings = { tasks = [...] }; this is %s.", kindName(r.value)))
	}
	if settings == nil {
		settings = jobspec.Settings{}
	}
	return writtenSettings{settings: settings, known: r.known}
}

func kindName(v any) string {
	switch v.(type) {
	case string:
		return "a text"
	case json.Number:
		return "a number"
	case bool:
		return "true or false"
	case []any:
		return "a list"
	}
	return "empty"
}

// attributes are what the typed attributes say, as the API has it. What is not known is jobspec.Unknown.
func (m loaderJobModel) attributes(ctx context.Context, diags *diag.Diagnostics) jobspec.Attributes {
	s := jobspec.Settings{"tags": m.contractTags(ctx, diags)}
	putKnown(s, "name", m.Name)
	if m.MaxDuration.IsUnknown() {
		s["timeout_seconds"] = jobspec.Unknown{}
	} else if d := duration(m.MaxDuration); d > 0 {
		s["timeout_seconds"] = jobspec.Int(int64(d / time.Second))
	}
	put := func(name string, v types.Object, known func(map[string]any)) {
		switch {
		case v.IsUnknown():
			s[name] = jobspec.Unknown{}
		case !v.IsNull():
			out := map[string]any{}
			known(out)
			s[name] = out
		}
	}
	put("schedule", m.Schedule, func(out map[string]any) {
		var v scheduleModel
		fields(ctx, m.Schedule, &v, diags)
		putKnown(out, "quartz_cron_expression", v.Expression)
		putKnown(out, "timezone_id", v.ZoneID)
	})
	put("trigger", m.Periodic, func(out map[string]any) {
		var v periodicModel
		fields(ctx, m.Periodic, &v, diags)
		periodic := map[string]any{"interval": jobspec.Unknown{}}
		if !v.Interval.IsUnknown() {
			periodic["interval"] = jobspec.Int(v.Interval.ValueInt64())
		}
		putKnown(periodic, "unit", v.Unit)
		out["periodic"] = periodic
	})
	put("continuous", m.Continuous, func(out map[string]any) {
		var v continuousModel
		fields(ctx, m.Continuous, &v, diags)
		putKnown(out, "task_retry_mode", v.TaskRetryMode)
	})
	a := jobspec.Attributes{Settings: s, PauseStatus: jobspec.Unknown{}}
	switch {
	case m.PauseStatus.IsNull():
		a.PauseStatus = jobspec.Unpaused
	case !m.PauseStatus.IsUnknown():
		a.PauseStatus = m.PauseStatus.ValueString()
	}
	return a
}

func putKnown(out map[string]any, name string, v types.String) {
	switch {
	case v.IsUnknown():
		out[name] = jobspec.Unknown{}
	case !v.IsNull():
		out[name] = v.ValueString()
	}
}

// contractTags are the tags of the contract; Unknown while a part of it is.
func (m loaderJobModel) contractTags(ctx context.Context, diags *diag.Diagnostics) any {
	if !isKnown(m.Source, m.Target, m.Key, m.EventTime, m.SettleDelay, m.SettleClock, m.Strict, m.Evidence, m.Reads, m.BrokerRetention, m.LongestGap, m.LongestSilence) {
		return jobspec.Unknown{}
	}
	out := map[string]any{}
	for k, v := range m.toContract(ctx, diags).Tags() {
		out[k] = v
	}
	return out
}

// withQueue says what is left out: API 2.2 turns the queue on where a write says nothing (TF jobs_api_go_sdk.go), so
// the loader always says it.
func withQueue(s jobspec.Settings) jobspec.Settings {
	if s["queue"] != nil {
		return s
	}
	out := maps.Clone(s)
	if out == nil {
		out = jobspec.Settings{}
	}
	out["queue"] = map[string]any{"enabled": false}
	return out
}

func withoutQueue(s jobspec.Settings) jobspec.Settings {
	if !reflect.DeepEqual(s["queue"], any(map[string]any{"enabled": false})) {
		return s
	}
	out := maps.Clone(s)
	delete(out, "queue")
	return out
}
