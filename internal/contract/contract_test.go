package contract_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
)

func incident() contract.Contract {
	return contract.Contract{
		Source: "main.events.stream_messages", Target: "main.events.messages",
		Key:       contract.Key{Partition: "technical_partition", Sequence: "technical_sequenceNumber"},
		EventTime: "context_updatedAt", SettleDelay: 30 * time.Minute, SettleClock: coverage.SettleNewestEvent,
		Strict: true, Evidence: "main.ops", Reads: coverage.ReadsSnapshot,
	}
}

func TestTagsCarryTheContract(t *testing.T) {
	t.Parallel()
	tags := incident().Tags()
	want := map[string]string{
		"watertight_source": "main.events.stream_messages", "watertight_target": "main.events.messages",
		"watertight_key": "technical_partition.technical_sequenceNumber", "watertight_event_time": "context_updatedAt",
		"watertight_settle_delay": "30m", "watertight_settle_clock": "newest_event", "watertight_strict": "true",
		"watertight_evidence": "main.ops", "watertight_reads": "snapshot",
	}
	if d := cmp.Diff(want, tags); d != "" {
		t.Error(d)
	}
	got, ok, err := contract.FromTags(tags)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if d := cmp.Diff(incident(), got); d != "" {
		t.Error(d)
	}

	columns := incident()
	columns.Key = contract.Key{Columns: []string{"tenant", "id", "at"}}
	if got, _, err := contract.FromTags(columns.Tags()); err != nil || cmp.Diff(columns, got) != "" {
		t.Error(cmp.Diff(columns, got), err)
	}
}

func TestAJobWithoutContract(t *testing.T) {
	t.Parallel()
	for _, tags := range []map[string]string{nil, {"team": "data"}, {"watertight_loader": "7"}} {
		if _, ok, err := contract.FromTags(tags); ok || err != nil {
			t.Error(tags, ok, err)
		}
	}
}

func TestABrokenContractNamesItsTag(t *testing.T) {
	t.Parallel()
	for tag, value := range map[string]string{
		"watertight_source": "events.messages", "watertight_target": "", "watertight_key": "p", "watertight_event_time": "",
		"watertight_settle_delay": "1 month", "watertight_settle_clock": "sundial", "watertight_strict": "perhaps",
		"watertight_evidence": "ops", "watertight_reads": "tea_leaves",
	} {
		tags := incident().Tags()
		tags[tag] = value
		_, ok, err := contract.FromTags(tags)
		if ok || err == nil || !strings.Contains(err.Error(), tag) {
			t.Errorf("%s = %q: %v, %v", tag, value, ok, err)
		}
	}
}

func TestValidateCollectsEveryProblem(t *testing.T) {
	t.Parallel()
	var fields []string
	for _, p := range (contract.Contract{Source: "a.b", Key: contract.Key{Partition: "p,q"}, SettleDelay: -1, SettleClock: "x", Reads: "y", Evidence: "z"}).Validate() {
		fields = append(fields, p.Field)
		if p.Hint == "" || p.Reason == "" {
			t.Error("no reason or hint:", p)
		}
	}
	want := []string{"source", "target", "key.partition", "key.sequence", "event_time", "settle_delay", "settle_clock", "reads", "evidence"}
	if d := cmp.Diff(want, fields); d != "" {
		t.Error(d)
	}
	if p := incident().Validate(); len(p) != 0 {
		t.Error(p)
	}
}

func TestParseTable(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]contract.Table{
		"main.events.messages":      {"main", "events", "messages"},
		"`main`.`e.v`.`me``ss`":     {"main", "e.v", "me`ss"},
		"main.events.`wéird-table`": {"main", "events", "wéird-table"},
	} {
		got, err := contract.ParseTable(name)
		if err != nil || got != want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if again, err := contract.ParseTable(got.String()); err != nil || again != want {
			t.Errorf("%s does not read back: %v, %v", got, again, err)
		}
		if again, err := contract.ParseTable(got.SQL()); err != nil || again != want {
			t.Errorf("%s does not read back: %v, %v", got.SQL(), again, err)
		}
	}
	for _, name := range []string{"", "messages", "events.messages", "a.b.c.d", "a..c", ".b.c", "a.b.", "a.b.`c", "a.b.c`d", "a.b.`c`d", "a.b.c d", "a.b.c; DROP TABLE x", "a/b.c.d", "a.b.``"} {
		if got, err := contract.ParseTable(name); err == nil || !strings.Contains(err.Error(), "catalog.schema.table") {
			t.Errorf("%q: %v, %v", name, got, err)
		}
	}
}

func TestRetentionRoundTrip(t *testing.T) {
	t.Parallel()
	want := contract.Retention{Table: "main.e.s", RollingWindow: 24 * time.Hour, EventTime: "u", ExpireBy: "external", DeletedFileRetention: 48 * time.Hour, LogRetention: 72 * time.Hour}
	got, err := contract.RetentionFromProperties("main.e.s", want.Properties())
	if err != nil || cmp.Diff(want, got) != "" {
		t.Error(cmp.Diff(want, got), err)
	}
}

func TestRetentionReadsWhatTheTableHas(t *testing.T) {
	t.Parallel()
	day := 24 * time.Hour
	for name, c := range map[string]struct {
		properties map[string]string
		want       contract.Retention
	}{
		"nothing declared: Delta's defaults":  {nil, contract.Retention{Table: "t", DeletedFileRetention: 7 * day, LogRetention: 30 * day}},
		"Auto-TTL alone":                      {map[string]string{"autottl.expireInDays": "2", "autottl.timestampColumn": "u"}, contract.Retention{Table: "t", RollingWindow: 2 * day, EventTime: "u", ExpireBy: "auto_ttl", DeletedFileRetention: 7 * day, LogRetention: 30 * day}},
		"Auto-TTL shorter than declared":      {map[string]string{"autottl.expireInDays": "1", "watertight.rolling_window": "3d", "watertight.expire_by": "auto_ttl", "watertight.event_time": "u"}, contract.Retention{Table: "t", RollingWindow: day, EventTime: "u", ExpireBy: "auto_ttl", DeletedFileRetention: 7 * day, LogRetention: 30 * day}},
		"keys in any case, intervals as text": {map[string]string{"DELTA.deletedfileretentionduration": "interval 1 week 1 day"}, contract.Retention{Table: "t", DeletedFileRetention: 8 * day, LogRetention: 30 * day}},
	} {
		if got, err := contract.RetentionFromProperties("t", c.properties); err != nil || cmp.Diff(c.want, got) != "" {
			t.Errorf("%s: %v\n%s", name, err, cmp.Diff(c.want, got))
		}
	}
	for key, value := range map[string]string{"watertight.rolling_window": "1 month", "delta.logRetentionDuration": "soon", "autottl.expireInDays": "x"} {
		if _, err := contract.RetentionFromProperties("main.e.s", map[string]string{key: value}); err == nil || !strings.Contains(err.Error(), key) || !strings.Contains(err.Error(), "main.e.s") {
			t.Errorf("%s = %q: %v", key, value, err)
		}
	}
}

func TestMaintenanceRoundTrip(t *testing.T) {
	t.Parallel()
	want := contract.Maintenance{Table: "main.e.t", LoaderID: 42, Expression: "0 0 2 ? * SUN", ZoneID: "UTC", Duration: 2 * time.Hour, LoaderDuringWindow: "paused", MinimumHeadroom: 4 * time.Hour}
	got, ok, err := contract.MaintenanceFromTags(want.Tags())
	if err != nil || !ok || cmp.Diff(want, got) != "" {
		t.Error(cmp.Diff(want, got), ok, err)
	}
	if w, err := got.Window(); err != nil || !w.LoaderPaused || !w.CatchUp || w.Duration != 2*time.Hour {
		t.Error(w, err)
	}
	for tag, value := range map[string]string{"watertight_loader": "seven", "watertight_window": "0 2 * * 7", "watertight_window_zone": "Mars", "watertight_window_duration": "-2h", "watertight_loader_during_window": "asleep", "watertight_minimum_headroom": "?"} {
		tags := want.Tags()
		tags[tag] = value
		if _, ok, err := contract.MaintenanceFromTags(tags); ok || err == nil {
			t.Errorf("%s = %q: %v, %v", tag, value, ok, err)
		}
	}
}
