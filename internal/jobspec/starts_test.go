package jobspec_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
)

func TestLoader(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settings string
		want     coverage.Loader
		fails    bool
	}{
		"schedule": {settings: `{"schedule":{"quartz_cron_expression":"0 0/15 * * * ?","timezone_id":"UTC"},"timeout_seconds":1200,"queue":{"enabled":true}}`,
			want: coverage.Loader{Trigger: coverage.Trigger{Kind: "schedule", Expression: "0 0/15 * * * ?", ZoneID: "UTC"}, MaxDuration: 20 * time.Minute, Overlap: coverage.Queue, MaxConcurrentRuns: 1}},
		"paused": {settings: `{"schedule":{"quartz_cron_expression":"0 0/15 * * * ?","timezone_id":"UTC","pause_status":"PAUSED"}}`,
			want: coverage.Loader{Trigger: coverage.Trigger{Kind: "schedule", Expression: "0 0/15 * * * ?", ZoneID: "UTC"}, Overlap: coverage.Skip, MaxConcurrentRuns: 1, Paused: true}},
		"periodic": {settings: `{"trigger":{"periodic":{"interval":2,"unit":"HOURS"}},"queue":{"enabled":false},"max_concurrent_runs":3}`,
			want: coverage.Loader{Trigger: coverage.Trigger{Kind: "periodic", Periodic: 2 * time.Hour}, Overlap: coverage.Skip, MaxConcurrentRuns: 3}},
		"continuous, and no run is let in": {settings: `{"continuous":{},"max_concurrent_runs":0}`,
			want: coverage.Loader{Trigger: coverage.Trigger{Kind: "continuous", Continuous: true}, Overlap: coverage.Skip, MaxConcurrentRuns: coverage.NoRuns}},
		"one element of triggers": {settings: `{"triggers":[{"periodic":{"interval":1,"unit":"DAYS"}}]}`,
			want: coverage.Loader{Trigger: coverage.Trigger{Kind: "periodic", Periodic: 24 * time.Hour}, Overlap: coverage.Skip, MaxConcurrentRuns: 1}},
		"several":                               {settings: `{"triggers":[{"continuous":{}},{"file_arrival":{}}]}`, want: coverage.Loader{Trigger: coverage.Trigger{Kind: "triggers"}, Overlap: coverage.Skip, MaxConcurrentRuns: 1}},
		"file arrival":                          {settings: `{"trigger":{"file_arrival":{"url":"u"}}}`, want: coverage.Loader{Trigger: coverage.Trigger{Kind: "file_arrival"}, Overlap: coverage.Skip, MaxConcurrentRuns: 1}},
		"table update":                          {settings: `{"trigger":{"table":{}}}`, want: coverage.Loader{Trigger: coverage.Trigger{Kind: "table_update"}, Overlap: coverage.Skip, MaxConcurrentRuns: 1}},
		"a schedule that a query may hold back": {settings: `{"schedule":{"quartz_cron_expression":"0 0/15 * * * ?","timezone_id":"UTC","sql_condition":{"sql_query_id":"q","warehouse_id":"w"}}}`, want: coverage.Loader{Trigger: coverage.Trigger{Kind: "sql_condition"}, Overlap: coverage.Skip, MaxConcurrentRuns: 1}},
		"a period that a query may hold back":   {settings: `{"trigger":{"periodic":{"interval":1,"unit":"HOURS"},"sql_condition":{"sql_query_id":"q","warehouse_id":"w"}}}`, want: coverage.Loader{Trigger: coverage.Trigger{Kind: "sql_condition"}, Overlap: coverage.Skip, MaxConcurrentRuns: 1}},
		"by hand":                               {settings: `{}`, want: coverage.Loader{Trigger: coverage.Trigger{Kind: "manual"}, Overlap: coverage.Skip, MaxConcurrentRuns: 1}},

		"J29 MicrosoftDocs/azure-docs#44131: five fields": {settings: `{"schedule":{"quartz_cron_expression":"0 2 * * *","timezone_id":"UTC"}}`, fails: true},
		"an unknown zone": {settings: `{"schedule":{"quartz_cron_expression":"0 0 2 * * ?","timezone_id":"Mars/Base"}}`, fails: true},
		"no zone":         {settings: `{"schedule":{"quartz_cron_expression":"0 0 2 * * ?"}}`, fails: true},
		"an unknown unit": {settings: `{"trigger":{"periodic":{"interval":1,"unit":"MONTHS"}}}`, fails: true},
		"no interval":     {settings: `{"trigger":{"periodic":{"interval":0,"unit":"HOURS"}}}`, fails: true},
		"an endless one":  {settings: `{"trigger":{"periodic":{"interval":9223372036854775807,"unit":"WEEKS"}}}`, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := jobspec.Loader(decode(t, c.settings))
			if (err != nil) != c.fails {
				t.Fatalf("%+v, %v", got, err)
			}
			if c.fails {
				return
			}
			if (got.Trigger.Cron != nil) != (c.want.Trigger.Expression != "") {
				t.Error("the fires and the expression do not go together")
			}
			if d := cmp.Diff(c.want, got, cmpopts.IgnoreFields(coverage.Trigger{}, "Cron")); d != "" {
				t.Error(d)
			}
		})
	}
}
