package provider

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
)

var judgedAt = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// text is a value as a configuration has it: "?" is not known yet, "-" is not set.
func text(v string) types.String {
	switch v {
	case "?":
		return types.StringUnknown()
	case "-":
		return types.StringNull()
	}
	return types.StringValue(v)
}

// aJudged is an optimize job whose five checks hold, with the given values in place of its own.
func aJudged(t *testing.T, values map[string]string) optimizeJobModel {
	t.Helper()
	get := func(name, otherwise string) types.String {
		if v, ok := values[name]; ok {
			return text(v)
		}
		return text(otherwise)
	}
	link := func(kinds map[string]attr.Type, set map[string]attr.Value) types.Object {
		all := map[string]attr.Value{}
		for name, kind := range kinds {
			switch k := kind.(type) {
			case types.ObjectType:
				all[name] = types.ObjectNull(k.AttrTypes)
			default:
				all[name] = types.StringNull()
			}
		}
		for name, v := range set {
			all[name] = v
		}
		o, d := types.ObjectValue(kinds, all)
		if d.HasError() {
			t.Fatal(d)
		}
		return o
	}
	m := optimizeJobModel{
		Name: types.StringValue("optimize_messages"), Table: get("table", "main.events.messages"),
		Loader: link(loaderLinkKinds(), map[string]attr.Value{
			"id": types.StringValue("7"), "name": types.StringValue("load_messages"), "source": get("source", "main.events.stream_messages"), "target": get("target", "main.events.messages"),
			"settle_delay": get("settle_delay", "30m"), "settle_clock": get("settle_clock", "-"), "reads": get("reads", "-"), "pause_status": get("pause_status", "UNPAUSED"),
			"max_duration": get("max_duration", "20m"), "longest_silence": get("longest_silence", "-"), "broker_retention": get("broker_retention", "-"),
			"schedule": link(scheduleKinds(), map[string]attr.Value{"quartz_cron_expression": get("schedule", "0 0 * * * ?"), "timezone_id": get("zone", "UTC")}),
		}),
		Retention: link(retentionLinkKinds(), map[string]attr.Value{"table": get("retention_table", "main.events.stream_messages"), "rolling_window": get("rolling_window", "24h"),
			"deleted_file_retention": get("deleted_file_retention", "7d"), "log_retention": get("log_retention", "30d")}),
		Window: link(windowKinds(), map[string]attr.Value{"quartz_cron_expression": get("window", "0 0 2 ? * SUN"), "timezone_id": get("window_zone", "UTC"),
			"duration": get("duration", "2h")}),
		LoaderDuringWindow: get("loader_during_window", "running"), MinimumHeadroom: get("minimum_headroom", "0s"), OnViolation: get("on_violation", "error"),
		ZOrderBy: types.ListNull(types.StringType), Vacuum: types.ObjectNull(vacuumKinds()),
	}
	if _, ok := values["vacuum"]; ok {
		m.Vacuum = types.ObjectValueMust(vacuumKinds(), map[string]attr.Value{"retain_hours": types.Int64Null(), "lite": types.BoolNull(), "full": types.BoolNull()})
	}
	if _, ok := values["allow_short_retention"]; ok {
		m.AllowShortRetention = types.BoolValue(true)
	}
	return m
}

func judged(t *testing.T, m optimizeJobModel) judgement {
	t.Helper()
	var diags diag.Diagnostics
	j := m.judge(t.Context(), judgedAt, &diags)
	if diags.HasError() {
		t.Fatal(diags)
	}
	return j
}

// Every combination of the five checks with the three answers, at plan and at apply, as an error and as a warning: a
// violation is reported whatever else is unknown, and what is unknown is neither a pass nor an error before the apply.
func TestEveryCombinationOfAnswers(t *testing.T) {
	t.Parallel()
	checks := []struct{ name, holds, violated, summary string }{
		{"rolling_window", "24h", "45m", "Rows would expire before they are loaded"},
		{"pause_status", "UNPAUSED", "PAUSED", "The loader is paused"},
		{"retention_table", "main.events.stream_messages", "main.events.other", "The retention is of another table"},
		{"table", "main.events.messages", "main.events.other", "The table is not the loader's target"},
		{"deleted_file_retention", "7d", "1h", "Time travel is shorter than the pause"},
	}
	answers := []coverage.Answer{coverage.Holds, coverage.Violated, coverage.Unknown}
	total := 1
	for range checks {
		total *= len(answers)
	}
	for n := range total {
		values, wanted := map[string]string{"loader_during_window": "paused"}, map[coverage.Answer][]string{}
		for i, rest := 0, n; i < len(checks); i, rest = i+1, rest/len(answers) {
			c, answer := checks[i], answers[rest%len(answers)]
			values[c.name] = map[coverage.Answer]string{coverage.Holds: c.holds, coverage.Violated: c.violated, coverage.Unknown: "?"}[answer]
			wanted[answer] = append(wanted[answer], c.summary)
		}
		m := aJudged(t, values)
		j := judged(t, m)
		answer := coverage.Holds
		switch {
		case wanted[coverage.Violated] != nil:
			answer = coverage.Violated
		case wanted[coverage.Unknown] != nil:
			answer = coverage.Unknown
		}
		if j.answer() != answer || len(j.open()) != len(wanted[coverage.Unknown]) {
			t.Fatalf("%v: %s with %v open, want %s", values, j.answer(), j.open(), answer)
		}
		for _, applying := range []bool{false, true} {
			for _, onViolation := range []string{"error", "warn"} {
				checkReport(t, fmt.Sprint(values, applying, onViolation), j, applying, onViolation, wanted)
			}
		}
	}
}

func checkReport(t *testing.T, name string, j judgement, applying bool, onViolation string, wanted map[coverage.Answer][]string) {
	t.Helper()
	var diags diag.Diagnostics
	if applying {
		j.refuseOpen(&diags)
	}
	j.report(types.StringValue(onViolation), &diags)
	violated, other := diags.Errors(), diags.Warnings()
	if onViolation == "warn" {
		violated, other = other, violated
	}
	refused := 0
	var found []string
	for _, d := range append(violated, other...) {
		if d.Summary() == "Whether rows would be lost cannot be told" {
			refused++
			continue
		}
		found = append(found, d.Summary())
	}
	if strings.Join(found, ";") != strings.Join(wanted[coverage.Violated], ";") {
		t.Errorf("%s: reported %q, want %q", name, found, wanted[coverage.Violated])
	}
	if want := applying && wanted[coverage.Unknown] != nil; (refused == 1) != want || want && !diags.HasError() {
		t.Errorf("%s: refused %d times what is unknown", name, refused)
	}
	if len(found) > 0 && onViolation == "error" && !diags.HasError() || !applying && onViolation == "warn" && diags.HasError() {
		t.Errorf("%s: %v", name, diags)
	}
}

// A minimum that is not known yet can only add to what is asked for: less than nothing is violated already.
func TestUnknownMinimumHeadroom(t *testing.T) {
	t.Parallel()
	if j := judged(t, aJudged(t, map[string]string{"minimum_headroom": "?"})); j.answer() != coverage.Unknown || len(j.open()) != 1 {
		t.Errorf("with headroom: %s, %v", j.answer(), j.open())
	}
	if j := judged(t, aJudged(t, map[string]string{"minimum_headroom": "?", "rolling_window": "45m"})); j.answer() != coverage.Violated {
		t.Errorf("without: %s", j.answer())
	}
	// The limit of another way to read decides, and the rolling window does not.
	if j := judged(t, aJudged(t, map[string]string{"reads": "change_feed", "rolling_window": "?"})); j.answer() != coverage.Holds {
		t.Errorf("change_feed: %s, %v", j.answer(), j.open())
	}
}

// T07 delta-io/delta#1470, #1945, delta-io/delta-rs#3392: a retention shorter than what lies between two windows, or so
// short that files go which readers and writers still need.
func TestRetentionAgainstTheWindows(t *testing.T) {
	t.Parallel()
	const daily, weekly, monthly = "0 0 2 * * ?", "0 0 2 ? * SUN", "0 0 2 1 * ?"
	for name, c := range map[string]struct {
		deleted, log, window string
		more                 map[string]string
		wanted               string
	}{
		"7d, 30d, daily":                {"7d", "30d", daily, nil, ""},
		"7d, 30d, weekly":               {"7d", "30d", weekly, nil, ""},
		"7d, 30d, weekly, a long one":   {"7d", "30d", weekly, map[string]string{"duration": "30h"}, ""},
		"7d, 30d, weekly, clock change": {"7d", "30d", weekly, map[string]string{"window_zone": "Europe/Berlin"}, ""},
		"defaults, weekly":              {"-", "-", weekly, nil, ""},
		"24h, 30d, weekly":              {"24h", "30d", weekly, nil, "The retention is short"},
		"24h, 30d, daily":               {"24h", "30d", daily, nil, "The retention is short"},
		"167h, 30d, daily":              {"167h", "30d", daily, nil, "The retention is short"},
		"24h, 24h, daily":               {"24h", "24h", daily, nil, "log_retention 1 d"},
		"24h, 30d, weekly, accepted":    {"24h", "30d", weekly, map[string]string{"allow_short_retention": ""}, ""},
		"0, 30d, daily":                 {"0s", "30d", daily, nil, "Nothing that left the source could be read again"},
		"0, 30d, accepted":              {"0s", "30d", daily, map[string]string{"allow_short_retention": ""}, "Nothing that left the source could be read again"},
		"0 log":                         {"7d", "0h", weekly, nil, "log_retention of main.events.stream_messages is 0"},
		// 31 d + settle delay 30 min + longest wait 80 min, against 24 h + 7 d.
		"7d, 30d, monthly":       {"7d", "30d", monthly, nil, "for deleted_file_retention 7 d: 1 d + 7 d = 8 d"},
		"defaults, monthly":      {"-", "-", monthly, nil, "not declared: Delta's default"},
		"31d, 31d, monthly":      {"31d", "31d", monthly, nil, ""},
		"7d, monthly, week long": {"7d", "30d", monthly, map[string]string{"rolling_window": "30d"}, ""},
		"7d, monthly, accepted":  {"7d", "30d", monthly, map[string]string{"allow_short_retention": ""}, ""},
		"24h, Kafka":             {"24h", "24h", weekly, map[string]string{"reads": "kafka", "broker_retention": "7d"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			values := map[string]string{"deleted_file_retention": c.deleted, "log_retention": c.log, "window": c.window, "vacuum": ""}
			for k, v := range c.more {
				values[k] = v
			}
			j := judged(t, aJudged(t, values))
			var said []string
			for _, check := range j.checks {
				for _, f := range check.findings {
					said = append(said, f.summary+": "+f.detail)
				}
			}
			if c.wanted == "" && (j.answer() != coverage.Holds || said != nil) {
				t.Errorf("%s %q", j.answer(), said)
			}
			if c.wanted != "" && (j.answer() != coverage.Violated || !strings.Contains(strings.Join(said, "\n"), c.wanted)) {
				t.Errorf("%s %q, want %q", j.answer(), said, c.wanted)
			}
		})
	}
	// Nothing is vacuumed: a short retention is the user's own affair, but for none at all.
	if j := judged(t, aJudged(t, map[string]string{"deleted_file_retention": "24h", "window": monthly})); j.answer() != coverage.Holds {
		t.Errorf("without VACUUM: %v", j.checks)
	}
	if j := judged(t, aJudged(t, map[string]string{"deleted_file_retention": "0s"})); j.answer() != coverage.Violated {
		t.Errorf("0 without VACUUM: %v", j.checks)
	}
}

// Inputs at the edges of what can be declared.
func TestVerdictOfOddInputs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		values       map[string]string
		answer       coverage.Answer
		wait         string // the longest wait
		says, denies string // in the reasons, findings, assumptions and notes
	}{
		// A declared silence of 0 is a declaration: nothing is left to assume.
		"never silent":        {values: map[string]string{"settle_clock": "newest_event", "longest_silence": "0s"}, answer: coverage.Holds, denies: "never silent for longer"},
		"silence undeclared":  {values: map[string]string{"settle_clock": "newest_event"}, answer: coverage.Holds, says: "never silent for longer"},
		"silence of a day":    {values: map[string]string{"settle_clock": "newest_event", "longest_silence": "24h"}, answer: coverage.Violated, says: "silence 1 d"},
		"a stream of no time": {values: map[string]string{"reads": "delta_stream", "deleted_file_retention": "0s"}, answer: coverage.Violated, says: "deleted-file retention 1 s", denies: "not both are known"},
		"a broker of a day":   {values: map[string]string{"reads": "event_hubs", "broker_retention": "24h", "rolling_window": "1s"}, answer: coverage.Holds, wait: "80m"},
		"an unknown broker":   {values: map[string]string{"reads": "kafka"}, answer: coverage.Unknown, says: "declare broker_retention"},
		"a change feed":       {values: map[string]string{"reads": "change_feed", "deleted_file_retention": "1h"}, answer: coverage.Violated, says: "deleted-file retention 1 h"},
		// 02:30 does not exist in Berlin on 29 March: from 01:30Z on the 28th to 00:30Z on the 30th, and a run of 20 min.
		"a clock change":            {values: map[string]string{"schedule": "0 30 2 * * ?", "zone": "Europe/Berlin", "rolling_window": "3d"}, answer: coverage.Holds, wait: "47h20m"},
		"overlapping windows":       {values: map[string]string{"window": "0 0 0/2 * * ?", "duration": "3h"}, answer: coverage.Holds, says: "opens 2 h after it"},
		"overlapping pauses":        {values: map[string]string{"window": "0 0 0/2 * * ?", "duration": "3h", "loader_during_window": "paused"}, answer: coverage.Violated, says: "never reads again"},
		"touching windows":          {values: map[string]string{"window": "0 0 0/2 * * ?", "duration": "2h"}, answer: coverage.Holds, denies: "opens 2 h after"},
		"a window of once":          {values: map[string]string{"window": "0 0 2 8 3 ? 2026"}, answer: coverage.Holds, denies: "never opens"},
		"a window of once, vacuum":  {values: map[string]string{"window": "0 0 2 8 3 ? 2026", "vacuum": ""}, answer: coverage.Holds},
		"a window that never opens": {values: map[string]string{"window": "0 0 2 1 3 ? 2026"}, answer: coverage.Holds, says: "has no start after 2026-03-02T12:00:00Z"},
		"a loader that never reads": {values: map[string]string{"schedule": "0 0 2 1 3 ? 2026"}, answer: coverage.Violated, says: "none, for it never reads again"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := judged(t, aJudged(t, c.values))
			var b strings.Builder
			for _, check := range j.checks {
				for _, f := range check.findings {
					b.WriteString(f.detail)
				}
			}
			for _, f := range j.notes {
				b.WriteString(f.detail)
			}
			if j.verdict != nil {
				b.WriteString(explainVerdict(*j.verdict))
			}
			if j.answer() != c.answer || !strings.Contains(b.String(), c.says) || c.denies != "" && strings.Contains(b.String(), c.denies) {
				t.Errorf("%s, want %s, with %q and without %q:\n%s", j.answer(), c.answer, c.says, c.denies, b.String())
			}
			if c.wait == "" {
				return
			}
			if wait, err := time.ParseDuration(c.wait); err != nil || j.verdict == nil || j.verdict.LongestWait != wait {
				t.Errorf("longest wait %v, want %s (%v)", j.verdict, c.wait, err)
			}
		})
	}
}
