package contract

import (
	"errors"
	"strconv"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

const (
	tagTable              = TagPrefix + "table"
	tagLoader             = TagPrefix + "loader"
	tagWindow             = TagPrefix + "window"
	tagWindowZone         = TagPrefix + "window_zone"
	tagWindowDuration     = TagPrefix + "window_duration"
	tagLoaderDuringWindow = TagPrefix + "loader_during_window"
	tagMinimumHeadroom    = TagPrefix + "minimum_headroom"
)

// What a loader does while maintenance runs.
const (
	LoaderRunning = "running"
	LoaderPaused  = "paused"
)

// Maintenance is what an OPTIMIZE job means for the loader of its table. Its tags stay on that job, which runs on a
// warehouse and hands no tags to a cluster; a Quartz expression would not do as the tag of one.
type Maintenance struct {
	// Table is optimized; LoaderID is the job that loads it.
	Table    string
	LoaderID int64
	// Expression is the Quartz expression at whose fires the window opens, in ZoneID, for Duration.
	Expression, ZoneID string
	Duration           time.Duration
	// LoaderDuringWindow is running or paused.
	LoaderDuringWindow string
	// MinimumHeadroom is the headroom that must be left; zero for none.
	MinimumHeadroom time.Duration
}

// Tags writes it as tags of the OPTIMIZE job.
func (m Maintenance) Tags() map[string]string {
	tags := map[string]string{
		tagTable: m.Table, tagLoader: strconv.FormatInt(m.LoaderID, 10), tagWindow: m.Expression, tagWindowZone: m.ZoneID,
		tagWindowDuration: interval.Short(m.Duration), tagLoaderDuringWindow: m.LoaderDuringWindow,
	}
	if m.MinimumHeadroom > 0 {
		tags[tagMinimumHeadroom] = interval.Short(m.MinimumHeadroom)
	}
	return tags
}

// MaintenanceFromTags reads it from a job's tags. False without an error: the job is no maintenance of a loader. Each
// part that is missing or broken is a *TagError; several are joined.
func MaintenanceFromTags(tags map[string]string) (Maintenance, bool, error) {
	if tags[tagLoader] == "" {
		return Maintenance{}, false, nil
	}
	r := reader{tags: tags}
	m := Maintenance{
		Table: tags[tagTable], Expression: tags[tagWindow], ZoneID: tags[tagWindowZone], LoaderDuringWindow: tags[tagLoaderDuringWindow],
		Duration: r.length(tagWindowDuration, true), MinimumHeadroom: r.length(tagMinimumHeadroom, false),
	}
	if _, err := ParseTable(m.Table); err != nil {
		r.fail(tagTable, err)
	}
	var err error
	if m.LoaderID, err = strconv.ParseInt(tags[tagLoader], 10, 64); err != nil || m.LoaderID <= 0 {
		r.fail(tagLoader, errors.New("is no job id"))
	}
	if m.LoaderDuringWindow != LoaderRunning && m.LoaderDuringWindow != LoaderPaused {
		r.fail(tagLoaderDuringWindow, errors.New("is neither running nor paused"))
	}
	if m.Duration <= 0 {
		r.fail(tagWindowDuration, errors.New("is no length of a window; write one such as 2h"))
	}
	if m.MinimumHeadroom < 0 {
		r.fail(tagMinimumHeadroom, errors.New("is negative"))
	}
	if _, err := schedule.Parse(m.Expression); err != nil {
		r.fail(tagWindow, err)
	}
	if _, err := schedule.Zone(m.ZoneID); err != nil {
		r.fail(tagWindowZone, err)
	}
	if err := errors.Join(r.errs...); err != nil {
		return Maintenance{}, false, err
	}
	return m, true, nil
}

// Window is what coverage reckons with. The job that pauses the loader also resumes and runs it, so the window's end is
// a fire of the loader.
func (m Maintenance) Window() (coverage.Window, error) {
	cron, err := schedule.Parse(m.Expression)
	if err != nil {
		return coverage.Window{}, err
	}
	zone, err := schedule.Zone(m.ZoneID)
	if err != nil {
		return coverage.Window{}, err
	}
	paused := m.LoaderDuringWindow == LoaderPaused
	return coverage.Window{
		Cron: cron.In(zone), Expression: m.Expression, ZoneID: m.ZoneID, Duration: m.Duration, LoaderPaused: paused, CatchUp: paused,
	}, nil
}
