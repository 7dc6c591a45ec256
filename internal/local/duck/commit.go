//go:build cgo

package duck

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// change gives the statement its own copy of a table, to be changed and published with the statement.
func (w *work) change(t *table) *table {
	c := *t
	c.commits, c.files = slices.Clip(t.commits), slices.Clone(t.files)
	c.Restores, c.Closed = maps.Clone(t.Restores), maps.Clone(t.Closed)
	w.catalog.tables[tableKey(t.Name)] = &c
	return &c
}

// draft begins the next commit of a table. Its time is the statement's, moved past the last commit's.
func (w *work) draft(t *table, operation string) *commit {
	c := &commit{Operation: operation, Time: w.now.Truncate(time.Millisecond), User: w.statement.User, Job: w.statement.Job,
		Isolation: "Serializable", Parameters: map[string]string{}, Metrics: map[string]string{}}
	if len(t.commits) > 0 {
		last := t.latest()
		read := last.Version
		c.Version, c.ReadVersion = last.Version+1, &read
		if !c.Time.After(last.Time) {
			c.Time = last.Time.Add(time.Millisecond)
		}
	}
	return c
}

// add appends a commit to its table.
func (t *table) add(c *commit) {
	t.join(c)
	c.ChangeFeed = c.meta.is(changeFeed)
	t.Updated = c.Time
	if c.Meta != nil {
		t.Altered, t.AlteredBy = c.Time, c.User
	}
	if len(t.commits) == 1 {
		t.Created, t.CreatedBy = c.Time, c.User
	}
	t.expireLog(c)
}

// join puts a commit at the end, under its own metadata or the last commit's.
func (t *table) join(c *commit) {
	c.meta = c.Meta
	if c.meta == nil && len(t.commits) > 0 {
		c.meta = t.latest().meta
	}
	t.commits = append(t.commits, c)
}

const defaultCheckpointInterval = 10

// expireLog forgets old commits when one writes a checkpoint, as Delta does: those before the last checkpoint that is
// older than the day the retention reaches back to.
func (t *table) expireLog(c *commit) {
	m := t.meta()
	every := int64(defaultCheckpointInterval)
	if v, ok := m.Properties[checkpointInterval]; ok {
		if n, err := parseWhole(&v); err == nil && n > 0 {
			every = n
		}
	}
	if c.Version == 0 || c.Version%every != 0 || strings.EqualFold(m.Properties[logCleanup], "false") {
		return
	}
	cutoff := c.Time.Add(-m.retention(logRetention)).Truncate(24 * time.Hour)
	keep := t.earliest().Version
	for _, k := range t.commits {
		if k.Time.Before(cutoff) && k.Version%every == 0 && k.Version > keep {
			keep = k.Version
		}
	}
	if keep == t.earliest().Version {
		return
	}
	first := *t.at(keep)
	first.Meta = t.metaAt(keep)
	kept := []*commit{&first}
	for _, k := range t.commits {
		if k.Version > keep {
			kept = append(kept, k)
		}
	}
	t.commits = kept
	t.files = slices.DeleteFunc(t.files, func(f *file) bool { return f.Removed != live && f.Removed <= keep && f.Vacuumed && f.Into == 0 })
}

// metric sets a metric that Delta writes as text.
func (c *commit) metric(name string, value any) { c.Metrics[name] = cellText(value) }

// location is where Databricks would say the table lies.
func (t *table) location() string {
	return "local:/tables/" + t.ID
}
