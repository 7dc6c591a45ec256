package maintenance_test

import (
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/maintenance"
)

const week = 7 * 24 * time.Hour

func aLayout() maintenance.Layout {
	return maintenance.Layout{Type: "MANAGED", Format: "DELTA", Columns: []string{"day", "hour", "id", "date", "body"}, PartitionColumns: []string{"day", "hour"},
		Unclustered: true, DeletedFileRetention: week, LogRetention: 30 * 24 * time.Hour}
}

func clustered(l *maintenance.Layout) {
	l.PartitionColumns, l.Clustered, l.Unclustered = nil, true, false
}

// What Delta refuses when the job runs is known from the table's description beforehand.
func TestValidateOn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		optimize maintenance.Optimize
		vacuum   *maintenance.Vacuum
		between  time.Duration
		layout   func(*maintenance.Layout)
		fault    string // field: part of the text
	}{
		"plain":                     {},
		"zorder":                    {optimize: maintenance.Optimize{ZOrderBy: []string{"ID", "body.kind"}}},
		"zorder on clustered":       {optimize: maintenance.Optimize{ZOrderBy: []string{"id"}}, layout: clustered, fault: "zorder_by: DELTA_CLUSTERING_WITH_ZORDER_BY"},
		"zorder on partition":       {optimize: maintenance.Optimize{ZOrderBy: []string{"Day"}}, fault: "zorder_by: DELTA_ZORDERING_ON_PARTITION_COLUMN"},
		"zorder on nothing":         {optimize: maintenance.Optimize{ZOrderBy: []string{"idd"}}, fault: "zorder_by: day, hour, id, date, body"},
		"where":                     {optimize: maintenance.Optimize{Where: "day >= current_date() - INTERVAL 7 DAYS AND hour IN (1, 2)"}},
		"where with a date literal": {optimize: maintenance.Optimize{Where: "day >= DATE '2026-01-01' AND cast(hour AS date) = day::date"}},
		"where with a qualifier":    {optimize: maintenance.Optimize{Where: "messages.`Day` = 'id' AND extract(hour FROM day) = 3"}},
		"where on data":             {optimize: maintenance.Optimize{Where: "day = 1 AND id > 3"}, fault: "where: and id is none"},
		"where on a quoted keyword": {optimize: maintenance.Optimize{Where: "`date` = '2026-01-01'"}, fault: "where: and date is none"},
		"where on nothing":          {optimize: maintenance.Optimize{Where: "dya = 1"}, fault: "where: no column dya"},
		"where without partitions":  {optimize: maintenance.Optimize{Where: "id = 1"}, layout: func(l *maintenance.Layout) { l.PartitionColumns = nil }, fault: "where: the table has none"},
		"where on clustered":        {optimize: maintenance.Optimize{Where: "day = 1"}, layout: clustered, fault: "where: DELTA_CLUSTERING_WITH_PARTITION_PREDICATE"},
		"full":                      {optimize: maintenance.Optimize{Full: true}, layout: clustered},
		"full on plain":             {optimize: maintenance.Optimize{Full: true}, fault: "full: DELTA_OPTIMIZE_FULL_NOT_SUPPORTED"},
		"full on who knows":         {optimize: maintenance.Optimize{Full: true}, layout: func(l *maintenance.Layout) { l.Unclustered = false }},
		// T11 delta-io/delta-kernel-rs#522
		"retain below the property":  {vacuum: &maintenance.Vacuum{RetainHours: hours(24)}, fault: "vacuum.retain_hours: keeps deleted files for 7 d"},
		"retain above the property":  {vacuum: &maintenance.Vacuum{RetainHours: hours(168)}},
		"lite":                       {vacuum: &maintenance.Vacuum{Lite: true}, between: week},
		"lite, rarer than the log":   {vacuum: &maintenance.Vacuum{Lite: true}, between: 5 * week, fault: "vacuum.lite: DELTA_CANNOT_VACUUM_LITE"},
		"vacuum rarer than the log":  {vacuum: &maintenance.Vacuum{}, between: 5 * week},
		"a view":                     {layout: func(l *maintenance.Layout) { l.Type, l.Format = "VIEW", "" }, fault: "table: VIEW"},
		"a materialized view":        {layout: func(l *maintenance.Layout) { l.Type = "MATERIALIZED_VIEW" }, fault: "table: MATERIALIZED_VIEW"},
		"a foreign table":            {layout: func(l *maintenance.Layout) { l.Type, l.Format = "FOREIGN", "MYSQL_FORMAT" }, fault: "table: FOREIGN"},
		"a CSV table":                {layout: func(l *maintenance.Layout) { l.Type, l.Format = "EXTERNAL", "CSV" }, fault: "table: stored as CSV"},
		"columns that are not shown": {optimize: maintenance.Optimize{ZOrderBy: []string{"x"}, Where: "y = 1"}, layout: func(l *maintenance.Layout) { l.Columns = nil }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := aLayout()
			if c.layout != nil {
				c.layout(&l)
			}
			got := maintenance.Plan{Table: "m.e.t", Optimize: c.optimize, Vacuum: c.vacuum}.ValidateOn(l, c.between)
			field, part, _ := strings.Cut(c.fault, ": ")
			switch {
			case c.fault == "" && len(got) > 0:
				t.Errorf("got %v", got)
			case c.fault != "" && (len(got) != 1 || got[0].Field != field || !strings.Contains(got[0].Error(), part) || got[0].Hint == ""):
				t.Errorf("got %v", got)
			}
		})
	}
}
