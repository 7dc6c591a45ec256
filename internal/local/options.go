package local

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// ErrInUse is returned by Open for a state directory that another process holds.
var ErrInUse = errors.New("state directory in use")

// ErrCorrupt is returned by Open for a state file that cannot be read. Nothing has been overwritten.
var ErrCorrupt = errors.New("state cannot be read")

// ErrNoEngine is returned by Open in a build without an SQL engine.
var ErrNoEngine = errors.New("no SQL engine in this build")

// Options says how a workspace is opened. The zero value is a workspace in memory, on a free port, with the incident's
// tables and a day of events in it.
type Options struct {
	// Listen is host:port. Empty: 127.0.0.1:0, a free port. An address that is not loopback is refused unless
	// AnyAddress is set.
	Listen     string
	AnyAddress bool
	// Dir keeps the state. Empty: memory.
	Dir string
	// Token is the bearer token of the workspace's user. Empty: a random one.
	Token string
	// Latency is added to every answer, in real time.
	Latency time.Duration
	// Faults are in force from the first request.
	Faults []Fault
	// Start is the virtual clock of a new workspace once it is open. Zero: the real minute. An existing state keeps its own.
	Start time.Time
	// Empty leaves a new workspace without tables, files or feed.
	Empty bool
	// Engine holds the tables. Nil: the one in this build. The workspace closes only an engine of its own.
	Engine engine.Engine
	// Behaviour chooses between what Databricks is known to do in different places and times.
	Behaviour Behaviour
	// Log gets a line for what goes wrong in the background. Nil: nowhere.
	Log io.Writer
}

// Behaviour holds the switches between variants of Databricks' own behaviour. The zero value is the usual one.
type Behaviour struct {
	// MissingJob is the status for a job that is not there: 404 (also for 0), or the 400 of older workspaces.
	MissingJob int `json:"missing_job,omitempty"`
	// DeniedJobs answer 403 to every read and write.
	DeniedJobs []int64 `json:"denied_jobs,omitempty"`
	// PlatformProperties adds feature and protocol keys to a table's properties after each ALTER, and one more at
	// each read.
	PlatformProperties bool `json:"platform_properties,omitempty"`
	// PageSize is the length of arrays in one page of jobs/get and runs/get. 0: 100.
	PageSize int `json:"page_size,omitempty"`
	// KeepOrder returns arrays as they were written; otherwise each read has its own order, decided by Seed.
	KeepOrder bool   `json:"keep_order,omitempty"`
	Seed      uint64 `json:"seed,omitempty"`
	// TokenLife is how long an OAuth token lives, in real time. 0: one hour. Tokens are refused in their last
	// TokenMargin with ExpiredStatus (0: 403).
	TokenLife     time.Duration `json:"token_life,omitempty"`
	TokenMargin   time.Duration `json:"token_margin,omitempty"`
	ExpiredStatus int           `json:"expired_status,omitempty"`
	// ContinuousRace makes the service start a run of an unpaused continuous job as soon as it is written, and
	// answer the next run-now of it with 409.
	ContinuousRace bool `json:"continuous_race,omitempty"`
	// ColdPolls is the number of reads for which a statement stays PENDING, as on a warehouse that must start.
	ColdPolls int `json:"cold_polls,omitempty"`
	// ExpiredLinks is how many of the first links to a result have expired when they are opened.
	ExpiredLinks int `json:"expired_links,omitempty"`
	// Relations shows tables, by their complete names, as kinds that no statement here can make.
	Relations map[string]Relation `json:"relations,omitempty"`
	// SessionZone is the warehouse's time zone, its TIMEZONE parameter. Empty: UTC.
	SessionZone string `json:"session_zone,omitempty"`
	// MetricsOff is added to numOutputRows in what DESCRIBE HISTORY answers: history may say more than was written.
	MetricsOff int64 `json:"metrics_off,omitempty"`
}

func (b Behaviour) pageSize() int {
	if b.PageSize > 0 {
		return b.PageSize
	}
	return 100
}

// bookStart is where the clock of a new workspace begins: at Start, or a sample's length before it.
func (o Options) bookStart(real time.Time) time.Time {
	at := o.Start.UTC().Truncate(time.Millisecond)
	if o.Start.IsZero() {
		at = real.UTC().Truncate(time.Minute)
	}
	if !o.Empty {
		at = at.Add(-sampleLength)
	}
	return at
}

func (o Options) logf(format string, args ...any) {
	if o.Log != nil {
		fmt.Fprintf(o.Log, format+"\n", args...)
	}
}
