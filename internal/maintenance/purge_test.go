package maintenance_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/maintenance"
)

func aPurge() maintenance.Purge {
	return maintenance.Purge{
		Purge: contract.Purge{Source: "main.events.stream_messages", Target: "main.events.messages", EventTime: "context_updatedAt", Window: 24 * time.Hour,
			Key: contract.Key{Partition: "technical_partition", Sequence: "technical_sequenceNumber"}},
		EventTimeType: "timestamp",
	}
}

func TestPurgeStatement(t *testing.T) {
	t.Parallel()
	const want = "MERGE INTO `main`.`events`.`stream_messages` AS s\n" +
		"USING (\n" +
		"  SELECT DISTINCT t.`technical_partition` AS k1, t.`technical_sequenceNumber` AS k2\n" +
		"  FROM `main`.`events`.`messages` AS t\n" +
		"  LEFT SEMI JOIN `main`.`events`.`stream_messages` AS e\n" +
		"  ON t.`technical_partition` = e.`technical_partition` AND t.`technical_sequenceNumber` = e.`technical_sequenceNumber` AND e.`context_updatedAt` < timestampadd(HOUR, -24, current_timestamp())\n" +
		") AS loaded\n" +
		"ON s.`technical_partition` = loaded.k1 AND s.`technical_sequenceNumber` = loaded.k2 AND s.`context_updatedAt` < timestampadd(HOUR, -24, current_timestamp())\n" +
		"WHEN MATCHED THEN DELETE"
	got, err := aPurge().Statement()
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Error(err, d)
	}
	for name, c := range map[string]struct {
		change func(*maintenance.Purge)
		part   string
	}{
		"minutes":           {func(p *maintenance.Purge) { p.Window = 90 * time.Minute }, "timestampadd(MINUTE, -90, current_timestamp())"},
		"seconds":           {func(p *maintenance.Purge) { p.Window = 86401 * time.Second }, "timestampadd(SECOND, -86401, current_timestamp())"},
		"a column in a row": {func(p *maintenance.Purge) { p.Key = contract.Key{Columns: []string{"meta.id"}} }, "s.`meta`.`id` = loaded.k1 AND"},
		"odd names":         {func(p *maintenance.Purge) { p.Key = contract.Key{Columns: []string{"a b", "c-d"}} }, "t.`a b` AS k1, t.`c-d` AS k2"},
	} {
		p := aPurge()
		c.change(&p)
		if got, err := p.Statement(); err != nil || !strings.Contains(got, c.part) {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
}

func TestPurgeFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*maintenance.Purge)
		field  string
	}{
		"no source":                {func(p *maintenance.Purge) { p.Source = "t" }, "source"},
		"no target":                {func(p *maintenance.Purge) { p.Target = "" }, "target"},
		"the source is the target": {func(p *maintenance.Purge) { p.Target = "MAIN.events.stream_messages" }, "target"},
		"no key":                   {func(p *maintenance.Purge) { p.Key = contract.Key{} }, "key.partition"},
		"no column":                {func(p *maintenance.Purge) { p.EventTime = "" }, "event_time"},
		"a text":                   {func(p *maintenance.Purge) { p.EventTimeType = "string" }, "event_time"},
		"a number":                 {func(p *maintenance.Purge) { p.EventTimeType = "bigint" }, "event_time"},
		"an unknown type":          {func(p *maintenance.Purge) { p.EventTimeType = "" }, "event_time"},
		"no window":                {func(p *maintenance.Purge) { p.Window = 0 }, "rolling_window"},
		"a negative window":        {func(p *maintenance.Purge) { p.Window = -time.Hour }, "rolling_window"},
		"half a second":            {func(p *maintenance.Purge) { p.Window = 1500 * time.Millisecond }, "rolling_window"},
	} {
		p := aPurge()
		c.change(&p)
		got, err := p.Statement()
		var fault contract.Problem
		if got != "" || !errors.As(err, &fault) || fault.Field != c.field || fault.Reason == "" || fault.Hint == "" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestPurgeJobSettings(t *testing.T) {
	t.Parallel()
	j := maintenance.PurgeJob{Name: "purge\nmessages", Purge: aPurge(), Owner: "0b5c", Expression: "0 5 * * * ?", ZoneID: "UTC", MaxDuration: time.Hour, WarehouseID: "w"}
	s, err := j.Settings()
	if err != nil {
		t.Fatal(err)
	}
	if p := jobspec.ValidateFields(s); len(p) > 0 {
		t.Errorf("the Jobs API has no such settings: %v", p)
	}
	path, content, err := j.File()
	if err != nil || path != "/Shared/.watertight/purge-0b5c.sql" || maintenance.PurgeFilePath(s) != path || maintenance.FilePath(s) != "" {
		t.Errorf("%s, %s, %v", path, maintenance.PurgeFilePath(s), err)
	}
	statement, _ := aPurge().Statement()
	if first, rest, _ := strings.Cut(string(content), "\n"); !strings.HasPrefix(first, "-- Written by Watertight for the job purge messages.") || rest != statement+";\n" {
		t.Errorf("%s", content)
	}
	if kind, table := contract.KindOf(jobspec.Tags(s)); kind != contract.KindPurge || table != "main.events.stream_messages" {
		t.Error(kind, table)
	}
	if _, ok, err := contract.FromTags(jobspec.Tags(s)); ok || err != nil {
		t.Errorf("a purge job is no loader: %v, %v", ok, err)
	}
	for name, change := range map[string]func(*maintenance.PurgeJob){
		"no warehouse": func(j *maintenance.PurgeJob) { j.WarehouseID = "" }, "no name": func(j *maintenance.PurgeJob) { j.Name = " " },
		"no owner": func(j *maintenance.PurgeJob) { j.Owner = "" }, "a wrong purge": func(j *maintenance.PurgeJob) { j.Purge.Source = "t" },
	} {
		j := j
		change(&j)
		if s, err := j.Settings(); err == nil || s != nil {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
}
