package provider_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

// What is no Delta table of its own is refused with the reason, at plan and at import; nothing is written.
func TestRetentionOfOtherRelations(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{Relations: map[string]local.Relation{
		"main.events.streaming": {Type: "STREAMING_TABLE", PipelineID: "0f1e-22"}, "main.events.piped": {PipelineID: "0f1e-33"},
		"main.events.materialized": {Type: "MATERIALIZED_VIEW", PipelineID: "0f1e-44"}, "main.events.metric": {Type: "METRIC_VIEW"},
		"main.events.foreign": {Type: "FOREIGN", Format: "POSTGRESQL_FORMAT"}, "main.events.iceberg": {Format: "ICEBERG"},
		"main.events.shared": {Format: "DELTASHARING"}, "main.events.csv": {Type: "EXTERNAL", Format: "CSV"}, "main.events.outside": {Type: "EXTERNAL"},
	}})
	want := map[string]string{
		"streaming": "kept by the pipeline 0f1e-22, which alone may alter it", "piped": "kept by the pipeline 0f1e-33", "materialized": "kept by the pipeline 0f1e-44",
		"metric": "is a METRIC_VIEW and holds no rows of its own", "foreign": "kept by the system it comes from", "iceberg": "is stored as ICEBERG",
		"shared": "is stored as DELTASHARING", "csv": "is stored as CSV", "outside": "", "seen": "is a VIEW and holds no rows of its own. Name the table that it reads",
	}
	for name := range want {
		if name == "seen" {
			sql(t, w, "CREATE VIEW main.events.seen AS SELECT * FROM main.events.source")
			continue
		}
		sql(t, w, "CREATE TABLE main.events."+name+" (p INT, seq BIGINT, at TIMESTAMP) TBLPROPERTIES ('watertight.rolling_window' = '24h')")
	}
	w.ResetRequests()
	t.Cleanup(func() {
		if n := writes(w); n != 0 {
			t.Errorf("refused plans wrote %d times", n)
		}
	})
	for name, reason := range want {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table := "main.events." + name
			out, code := newShell(t, with(w, retention("  adopt = true\n  table = \""+table+"\""))).plan()
			if reason == "" {
				if code != 2 {
					t.Errorf("an external Delta table: exit %d\n%s", code, out)
				}
				return
			}
			if code != 1 || !strings.Contains(prose(out), reason) {
				t.Errorf("plan: exit %d, want %q\n%s", code, reason, out)
			}
			s := newShell(t, with(w, "import {\n  to = watertight_retention.x\n  id = \""+table+"\"\n}\n"))
			out, code = s.run("plan", "-no-color", "-generate-config-out=made.tf")
			if code != 1 || !strings.Contains(prose(out), reason) {
				t.Errorf("import: exit %d, want %q\n%s", code, reason, out)
			}
		})
	}
}

// A table that has become a view is gone, and the plan that would set it again is refused.
func TestRetentionOfTableThatBecameAView(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{})
	s := newShell(t, with(w, retention("")))
	s.apply()
	sql(t, w, "CREATE TABLE main.events.base (p INT)")
	sql(t, w, "DROP TABLE main.events.source")
	sql(t, w, "CREATE VIEW main.events.source AS SELECT * FROM main.events.base")
	w.ResetRequests()
	out, code := s.plan()
	if code != 1 || writes(w) != 0 {
		t.Errorf("exit %d, %d writes", code, writes(w))
	}
	wantAll(t, prose(out), "A view has no retention")
	sql(t, w, "DROP VIEW main.events.source")
	if out, code := s.plan(); code != 2 || !strings.Contains(out, "1 to add") {
		t.Errorf("a missing table: exit %d\n%s", code, out)
	}
}

// Import takes what is there: properties, or Auto-TTL that somebody set; the configuration that Terraform writes for it
// validates and plans empty. A table with neither has nothing to import.
func TestRetentionImport(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		alter string
		want  map[string]any
	}{
		"properties": {"SET TBLPROPERTIES ('watertight.rolling_window' = '24h', 'watertight.expire_by' = 'external', 'watertight.event_time' = 'at', 'delta.logRetentionDuration' = 'interval 40 days', 'team' = 'data')",
			map[string]any{"rolling_window": "24h", "expire_by": "external", "event_time": "at", "log_retention": "960h", "deleted_file_retention": nil, "owner": nil}},
		"auto_ttl": {"DELETE ROWS 3 DAYS AFTER at", map[string]any{"rolling_window": "72h", "expire_by": "auto_ttl", "event_time": "at", "log_retention": nil}},
		"nothing":  {"SET TBLPROPERTIES ('delta.logRetentionDuration' = 'interval 40 days')", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := openTable(t, local.Behaviour{PlatformProperties: true})
			sql(t, w, "ALTER TABLE main.events.source "+c.alter)
			s := newShell(t, with(w, "import {\n  to = watertight_retention.source\n  id = \"main.events.source\"\n}\n"))
			w.ResetRequests()
			out, code := s.run("plan", "-no-color", "-generate-config-out=made.tf")
			if c.want == nil {
				if code != 1 || !strings.Contains(prose(out), "The table has no retention to import") {
					t.Errorf("exit %d\n%s", code, out)
				}
				return
			}
			if code != 0 || !strings.Contains(out, "1 to import, 0 to add, 0 to change, 0 to destroy") {
				t.Fatalf("exit %d\n%s", code, out)
			}
			s.apply()
			if out, code := s.plan(); code != 0 || writes(w) != 0 {
				t.Errorf("exit %d, %d writes\n%s", code, writes(w), out)
			}
			got := s.values(retentionAddress)
			for key, want := range c.want {
				if d := cmp.Diff(want, got[key]); d != "" {
					t.Errorf("%s: %s", key, d)
				}
			}
		})
	}
}

// The event time has to be a column of the table, of a type by which rows grow old.
func TestRetentionEventTime(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{})
	sql(t, w, "ALTER TABLE main.events.source ADD COLUMNS (day DATE, local TIMESTAMP_NTZ, text STRING)")
	w.ResetRequests()
	for _, mode := range []string{"external", "auto_ttl"} {
		for column, wanted := range map[string]string{"at": "", "AT": "", "day": "", "local": "", "text": "is of type STRING", "seq": "is of type BIGINT", "nothing": `no column "nothing". Its columns are p, seq, at, day, local, text`} {
			t.Run(mode+" "+column, func(t *testing.T) {
				t.Parallel()
				out, code := newShell(t, with(w, retention(fmt.Sprintf("  event_time = %q\n  expire_by = %q", column, mode)))).plan()
				if wanted == "" && code != 2 || wanted != "" && (code != 1 || !strings.Contains(prose(out), wanted)) {
					t.Errorf("exit %d, want %q\n%s", code, wanted, out)
				}
			})
		}
	}
	t.Cleanup(func() {
		if n := writes(w); n != 0 {
			t.Errorf("plans wrote %d times", n)
		}
	})
}

// A change of properties ends a stream that reads the table: the plan names the loader, once for each change, and not when
// nothing changes.
func TestRetentionWarnsOfStreams(t *testing.T) {
	t.Parallel()
	for reads, warned := range map[string]bool{"delta_stream": true, "change_feed": true, "snapshot": false, "kafka": false} {
		t.Run(reads, func(t *testing.T) {
			t.Parallel()
			w := openPair(t, local.Behaviour{})
			reading := strings.Replace(link, "loaded_by = {", "loaded_by = { reads = \""+reads+"\",", 1)
			s := newShell(t, with(w, retention(reading)))
			says := func(out string) bool {
				return strings.Contains(out, "A running stream may end") && strings.Contains(prose(out), "The loader load reads main.events.source as a "+reads) && strings.Contains(prose(out), "while the loader is paused")
			}
			if out, _ := s.plan(); says(out) != warned {
				t.Errorf("create:\n%s", out)
			}
			s.apply()
			if out, code := s.plan(); code != 0 || says(out) {
				t.Errorf("nothing to do: exit %d\n%s", code, out)
			}
			s.write(with(w, retention(reading+"  log_retention = \"40 days\"")))
			if out, _ := s.plan(); says(out) != warned || strings.Contains(out, "skipChangeCommits") {
				t.Errorf("another retention:\n%s", out)
			}
			s.write(with(w, retention(reading+"  event_time = \"at\"\n  expire_by = \"auto_ttl\"")))
			if out, _ := s.plan(); strings.Contains(out, "skipChangeCommits") != (reads == "delta_stream") {
				t.Errorf("auto_ttl:\n%s", out)
			}
			// Another name of the loader is no commit.
			s.write(with(w, retention(strings.Replace(reading, `name = "load"`, `name = "renamed"`, 1))))
			w.ResetRequests()
			out := s.apply()
			if strings.Contains(out, "A running stream may end") || len(altered(w)) != 0 {
				t.Errorf("a renamed loader sent %q\n%s", altered(w), out)
			}
		})
	}
}

// Auto-TTL is for managed tables, and is a part of predictive optimization: where that is off, nothing is ever deleted.
func TestRetentionAutoTTLNeedsPredictiveOptimization(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{Relations: map[string]local.Relation{
		"main.events.source": {PredictiveOptimization: "DISABLE"}, "main.events.outside": {Type: "EXTERNAL"},
	}})
	sql(t, w, "CREATE TABLE main.events.outside (p INT, at TIMESTAMP)")
	out, code := newShell(t, with(w, retention("  table = \"main.events.outside\"\n"+modes()["auto_ttl"]))).plan()
	if code != 1 || !strings.Contains(prose(out), "main.events.outside is EXTERNAL") {
		t.Errorf("exit %d\n%s", code, out)
	}
	sql(t, w, "INSERT INTO main.events.source SELECT 1, 1, current_timestamp() - INTERVAL 9 DAYS")
	s := newShell(t, with(w, retention(modes()["auto_ttl"])))
	if out := s.apply(); !strings.Contains(out, "Auto-TTL will delete nothing") {
		t.Errorf("no warning:\n%s", out)
	}
	if out, code := s.plan(); code != 0 || strings.Contains(out, "Warning") {
		t.Errorf("exit %d\n%s", code, out)
	}
	for _, want := range []struct {
		optimization string
		rows         int
	}{{"DISABLE", 1}, {"ENABLE", 0}} {
		w.SetBehaviour(local.Behaviour{Relations: map[string]local.Relation{"main.events.source": {PredictiveOptimization: want.optimization}}})
		if err := w.Advance(t.Context(), 25*time.Hour); err != nil {
			t.Fatal(err)
		}
		if n := len(rows(t, w, "SELECT * FROM main.events.source")); n != want.rows {
			t.Errorf("%s: %d rows, want %d", want.optimization, n, want.rows)
		}
	}
}
