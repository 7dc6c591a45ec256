package provider_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The numbers are hand arithmetic. Berlin: 02:00 does not exist on 29 March 2026, so 28 March 02:00 (01:00Z) is followed
// by 30 March 02:00 (00:00Z): 47 h. Headroom: 24 h − 30 min − (30 min to the next start that finds no run active +
// 20 min run). In the window of 25 h the run of 01:30 is followed by the one at the window's end, Monday 03:00: 25 h 30
// min + 20 min.
func TestFunctions(t *testing.T) {
	t.Parallel()
	const from = `"2026-03-02T12:00:00Z"`
	const quarter = `rolling_window = "24h", settle_delay = "30m", max_duration = "20m", quartz_cron_expression = "0 0/15 * * * ?", timezone_id = "UTC"`
	tests := map[string]struct {
		call string
		want any
	}{
		"gap":            {`longest_gap("0 0/15 * * * ?", "UTC", ` + from + `)`, 900.0},
		"gap_berlin":     {`longest_gap("0 0 2 * * ?", "Europe/Berlin", ` + from + `)`, 47.0 * 3600},
		"next":           {`next_runs("0 0 2 ? * SUN", "Europe/Berlin", "2026-03-02T13:00:00+01:00", 2)`, []any{"2026-03-08T01:00:00Z", "2026-03-15T01:00:00Z"}},
		"next_ends":      {`next_runs("0 0 0 1 1 ? 2027", "UTC", ` + from + `, 5)`, []any{"2027-01-01T00:00:00Z"}},
		"next_none":      {`next_runs("0 0 0 1 1 ? 2020", "UTC", ` + from + `, 5)`, []any{}},
		"headroom":       {`headroom({ ` + quarter + ` }, ` + from + `)`, 22.0*3600 + 40*60},
		"headroom_queue": {`headroom({ ` + quarter + `, on_overlap = "queue", pause = null }, ` + from + `)`, 22.0*3600 + 50*60},
		"headroom_window": {`headroom({ ` + quarter + `, window = { quartz_cron_expression = "0 0 2 ? * SUN", timezone_id = "UTC", duration = "25h" } }, ` + from + `)`,
			-2.0*3600 - 20*60},
		"headroom_periodic":   {`headroom({ rolling_window = "24h", max_duration = "20m", period = "1h" }, ` + from + `)`, 24.0*3600 - 3600 - 20*60},
		"headroom_continuous": {`headroom({ rolling_window = "24h", max_duration = "20m", continuous = true }, ` + from + `)`, 24.0*3600 - 41*60},
	}
	body := required
	for name, c := range tests {
		body += fmt.Sprintf("output %q {\n  value = provider::watertight::%s\n}\n", name, c.call)
	}
	s := newShell(t, body)
	s.apply()
	var got map[string]struct{ Value any }
	if err := json.Unmarshal([]byte(s.must("output", "-json")), &got); err != nil {
		t.Fatal(err)
	}
	for name, c := range tests {
		if diff := cmp.Diff(c.want, got[name].Value); diff != "" {
			t.Errorf("%s: %s\n%s", name, c.call, diff)
		}
	}
	if out, code := s.plan(); code != 0 {
		t.Errorf("second plan: exit %d\n%s", code, out)
	}
}

func TestFunctionsRefuse(t *testing.T) {
	t.Parallel()
	const from = `"2026-03-02T12:00:00Z"`
	tests := map[string]struct {
		call   string
		wanted []string
	}{
		"expression":    {`longest_gap("0/15 * * * *", "UTC", ` + from + `)`, []string{`quartz_cron_expression`, `"0/15 * * * *"`}},
		"zone":          {`longest_gap("0 0/15 * * * ?", "Berlin", ` + from + `)`, []string{"timezone_id", "Berlin"}},
		"instant":       {`next_runs("0 0/15 * * * ?", "UTC", "yesterday", 1)`, []string{`"from"`, "plantimestamp()"}},
		"count":         {`next_runs("0 0/15 * * * ?", "UTC", ` + from + `, 0)`, []string{`"count"`, "from 1 to 1000"}},
		"end":           {`longest_gap("0 0 0 1 1 ? 2027", "UTC", ` + from + `)`, []string{"without an end"}},
		"missing":       {`headroom({ max_duration = "20m", period = "1h" }, ` + from + `)`, []string{`"question"`, "Rolling_window is missing", "24h"}},
		"unknown name":  {`headroom({ rolling_window = "24h", max_duration = "20m", period = "1h", settle = "3m" }, ` + from + `)`, []string{"settle is not known here", "settle_delay"}},
		"kind":          {`headroom({ rolling_window = 24, max_duration = "20m", period = "1h" }, ` + from + `)`, []string{"rolling_window is a number"}},
		"duration":      {`headroom({ rolling_window = "1 month", max_duration = "20m", period = "1h" }, ` + from + `)`, []string{"rolling_window", "1 month"}},
		"no object":     {`headroom("24h", ` + from + `)`, []string{"write an object"}},
		"no start":      {`headroom({ rolling_window = "24h", max_duration = "20m" }, ` + from + `)`, []string{"nothing starts the loader", "quartz_cron_expression"}},
		"two starts":    {`headroom({ rolling_window = "24h", max_duration = "20m", period = "1h", continuous = true }, ` + from + `)`, []string{"2 triggers are given"}},
		"overlap":       {`headroom({ rolling_window = "24h", max_duration = "20m", period = "1h", on_overlap = "wait" }, ` + from + `)`, []string{"skip or queue"}},
		"window":        {`headroom({ rolling_window = "24h", max_duration = "20m", period = "1h", window = { quartz_cron_expression = "0 0 2 ? * SUN", timezone_id = "UTC" } }, ` + from + `)`, []string{"window.duration is missing"}},
		"last start":    {`headroom({ rolling_window = "24h", max_duration = "20m", quartz_cron_expression = "0 0 0 1 1 ? 2027", timezone_id = "UTC" }, ` + from + `)`, []string{"2027-01-01"}},
		"null argument": {`longest_gap(null, "UTC", ` + from + `)`, []string{"quartz_cron_expression"}},
	}
	body := required
	for name, c := range tests {
		body += fmt.Sprintf("output %q {\n  value = provider::watertight::%s\n}\n", strings.ReplaceAll(name, " ", "_"), c.call)
	}
	s := newShell(t, body)
	out, code := s.run("plan", "-no-color", "-input=false")
	if code != 1 {
		t.Fatalf("plan: exit %d\n%s", code, out)
	}
	errors := strings.Split(out, "Error: ")[1:]
	for name, c := range tests {
		found := ""
		for _, e := range errors {
			if strings.Contains(e, fmt.Sprintf("in output %q", strings.ReplaceAll(name, " ", "_"))) {
				found += prose(e)
			}
		}
		for _, part := range c.wanted {
			if !strings.Contains(strings.ToLower(found), strings.ToLower(part)) {
				t.Errorf("%s: the message does not hold %q:\n%s", name, part, found)
			}
		}
	}
}

// Part of an object may have no value while planning: the answer then waits too.
func TestFunctionOfUnknownParts(t *testing.T) {
	t.Parallel()
	s := newShell(t, required+`
resource "terraform_data" "window" {
  input = "24h"
}
output "headroom" {
  value = provider::watertight::headroom({ rolling_window = terraform_data.window.output, max_duration = "20m", period = "1h" }, plantimestamp())
}
`)
	out, code := s.plan()
	if code != 2 || !strings.Contains(out, "+ headroom = (known after apply)") {
		t.Errorf("plan: exit %d\n%s", code, out)
	}
	s.apply()
	if got := strings.TrimSpace(s.must("output", "headroom")); got != "81600" {
		t.Errorf("headroom %s", got)
	}
}
