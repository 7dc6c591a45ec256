package recovery

import (
	"fmt"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// Kind is a kind of place. The order of preference is that of Places.
type Kind string

// The kinds, as reports name them.
const (
	Source     Kind = "source"
	TimeTravel Kind = "time_travel"
	ChangeFeed Kind = "change_feed"
	Backup     Kind = "backup"
	Broker     Kind = "broker"
)

// Place is somewhere that rows may be read from.
type Place struct {
	Kind Kind
	// From names it in SQL, for FROM; empty for a broker. Name is what people call it.
	From, Name string
	// Version is that of the source; -1 for other places.
	Version int64
	// Until is when it can be read no longer; zero when nothing says so.
	Until time.Time
	// condition holds beside the ranges.
	condition string
}

// Facts is what is known of the source and of what else may hold its rows.
type Facts struct {
	// SQL is the source's name, quoted for SQL, and Name unquoted.
	SQL, Name string
	// Newest is its newest commit.
	Newest reconcile.Commit
	// Candidates are its versions whose successor removed rows, newest first.
	Candidates []reconcile.Candidate
	// Retention is how long an overwritten version can be read after it was committed.
	Retention time.Duration
	// HasChangeFeed says that delta.enableChangeDataFeed is set, now: since when only a probe tells.
	HasChangeFeed bool
	// Backups are tables that the user names, quoted for SQL, by the names given.
	Backups []Named
	// Broker is how long the broker keeps an event; 0: there is none, or nobody said.
	Broker time.Duration
}

// Named is a table: SQL is its name quoted for SQL.
type Named struct{ Name, SQL string }

// Places are those that may hold a range, the best first.
func (f Facts) Places(r Range) []Place {
	places := []Place{{Kind: Source, From: at(f.SQL, f.Newest.Version), Name: fmt.Sprintf("%s, version %d", f.Name, f.Newest.Version), Version: f.Newest.Version, Until: f.Newest.At.Add(f.Retention)}}
	if r.Version >= 0 && r.Version != f.Newest.Version {
		c, known := f.candidate(r.Version)
		p := Place{Kind: TimeTravel, From: at(f.SQL, r.Version), Name: fmt.Sprintf("%s VERSION AS OF %d", f.Name, r.Version), Version: r.Version}
		if known {
			p.Until = c.Committed.Add(f.Retention)
		}
		places = append(places, p)
		if known && f.HasChangeFeed {
			places = append(places, f.changeFeed(c.RemovedBy))
		}
	}
	for _, b := range f.Backups {
		places = append(places, Place{Kind: Backup, From: b.SQL, Name: b.Name, Version: -1})
	}
	if f.Broker > 0 {
		p := Place{Kind: Broker, Name: "the broker", Version: -1}
		if !r.Earliest.IsZero() {
			p.Until = r.Earliest.Add(f.Broker)
		}
		places = append(places, p)
	}
	return places
}

func (f Facts) candidate(version int64) (reconcile.Candidate, bool) {
	for _, c := range f.Candidates {
		if c.Version == version {
			return c, true
		}
	}
	return reconcile.Candidate{}, false
}

// changeFeed reads the rows that one commit deleted. The feed is refused by the time of its start version alone, which
// is the deleting commit itself: on a table with rare commits it lives longer than the version before.
func (f Facts) changeFeed(removal reconcile.Commit) Place {
	return Place{Kind: ChangeFeed, From: fmt.Sprintf("table_changes(%s, %d, %d)", contract.QuoteText(f.SQL), removal.Version, removal.Version),
		Name: fmt.Sprintf("change feed of %s, version %d", f.Name, removal.Version), Version: removal.Version, Until: removal.At.Add(f.Retention), condition: "_change_type = 'delete'"}
}

func at(table string, version int64) string {
	return fmt.Sprintf("%s VERSION AS OF %d", table, version)
}
