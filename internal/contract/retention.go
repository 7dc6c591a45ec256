package contract

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
)

// Properties of the source table. Delta accepts keys without its own prefix as they are.
const (
	PropertyRollingWindow = "watertight.rolling_window"
	PropertyEventTime     = "watertight.event_time"
	PropertyExpireBy      = "watertight.expire_by"
	// PropertyOwner tells which watertight_retention set them.
	PropertyOwner = "watertight.owner"

	PropertyDeletedFileRetention = "delta.deletedFileRetentionDuration"
	PropertyLogRetention         = "delta.logRetentionDuration"

	// Auto-TTL shows itself in these two; they are set by DELETE ROWS n DAYS AFTER, never as properties.
	PropertyAutoTTLDays   = "autottl.expireInDays"
	PropertyAutoTTLColumn = "autottl.timestampColumn"
)

// Delta's defaults (DeltaConfig.scala TOMBSTONE_RETENTION, LOG_RETENTION).
const (
	DefaultDeletedFileRetention = 7 * 24 * time.Hour
	DefaultLogRetention         = 30 * 24 * time.Hour
)

// The ways in which rows leave a source.
const (
	ExpireExternal = "external"
	ExpireAutoTTL  = "auto_ttl"
	ExpirePurgeJob = "purge_job"
)

// Retention is how long a source keeps a row, and how long a removed one can still be read. A zero duration is not declared.
type Retention struct {
	Table                              string
	RollingWindow                      time.Duration
	EventTime, ExpireBy                string
	DeletedFileRetention, LogRetention time.Duration
	// Owner is the watertight_retention that declares it; empty for none.
	Owner string
}

// Properties writes what is declared as table properties.
func (r Retention) Properties() map[string]string {
	properties := map[string]string{}
	set := func(key, value string, declared bool) {
		if declared {
			properties[key] = value
		}
	}
	set(PropertyRollingWindow, interval.Short(r.RollingWindow), r.RollingWindow > 0)
	set(PropertyEventTime, r.EventTime, r.EventTime != "")
	set(PropertyExpireBy, r.ExpireBy, r.ExpireBy != "")
	set(PropertyOwner, r.Owner, r.Owner != "")
	set(PropertyDeletedFileRetention, interval.Delta(r.DeletedFileRetention), r.DeletedFileRetention > 0)
	set(PropertyLogRetention, interval.Delta(r.LogRetention), r.LogRetention > 0)
	return properties
}

// OwnProperties are those that only Watertight sets, spelled as the table has them.
func OwnProperties(properties map[string]string) map[string]string {
	own := map[string]string{}
	for key, value := range properties {
		if slices.ContainsFunc([]string{PropertyRollingWindow, PropertyEventTime, PropertyExpireBy, PropertyOwner}, func(k string) bool { return strings.EqualFold(k, key) }) {
			own[key] = value
		}
	}
	return own
}

// RetentionFromProperties reads a table's properties, whose keys are matched without regard to case. What Delta fills
// in when a key is absent is filled in. A table with Auto-TTL has no longer window than that, whatever is declared.
func RetentionFromProperties(table string, properties map[string]string) (Retention, error) {
	p := lowered(properties)
	r := Retention{
		Table: table, EventTime: p.text(PropertyEventTime), ExpireBy: p.text(PropertyExpireBy), Owner: p.text(PropertyOwner),
		DeletedFileRetention: DefaultDeletedFileRetention, LogRetention: DefaultLogRetention,
	}
	for _, d := range []struct {
		key  string
		to   *time.Duration
		read func(string) (time.Duration, error)
	}{
		{PropertyRollingWindow, &r.RollingWindow, interval.Parse},
		{PropertyDeletedFileRetention, &r.DeletedFileRetention, interval.ParseDelta},
		{PropertyLogRetention, &r.LogRetention, interval.ParseDelta},
	} {
		if text := p.text(d.key); text != "" {
			value, err := d.read(text)
			if err != nil {
				return Retention{}, &PropertyError{table, d.key, text, err}
			}
			*d.to = value
		}
	}
	if _, declared := p[strings.ToLower(PropertyRollingWindow)]; declared && r.RollingWindow <= 0 {
		return Retention{}, &PropertyError{table, PropertyRollingWindow, p.text(PropertyRollingWindow), errors.New("is no rolling window, which is longer than nothing")}
	}
	if r.ExpireBy != "" && !slices.Contains([]string{ExpireExternal, ExpireAutoTTL, ExpirePurgeJob}, r.ExpireBy) {
		return Retention{}, &PropertyError{table, PropertyExpireBy, r.ExpireBy, errors.New("is none of external, auto_ttl and purge_job")}
	}
	return r, r.applyTTL(p)
}

func (r *Retention) applyTTL(p propertyMap) error {
	text := p.text(PropertyAutoTTLDays)
	if text == "" {
		return nil
	}
	days, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return &PropertyError{r.Table, PropertyAutoTTLDays, text, errors.New("is no number of days")}
	}
	// A row may go as soon as the days have passed: the days that Databricks takes longer are no promise.
	// A table that keeps rows for 0 days has the shortest window there is, not an undeclared one.
	if window := max(time.Duration(days)*24*time.Hour, time.Second); r.RollingWindow == 0 || window < r.RollingWindow {
		r.RollingWindow = window
	}
	if r.EventTime == "" {
		r.EventTime = p.text(PropertyAutoTTLColumn)
	}
	if r.ExpireBy == "" {
		r.ExpireBy = ExpireAutoTTL
	}
	return nil
}

// PropertyError is a table property that cannot be read.
type PropertyError struct {
	Table, Key, Value string
	Err               error
}

// Error names the table, the property, its value and the remedy.
func (e *PropertyError) Error() string {
	return fmt.Sprintf("table %s: property %s = %q: %v; set it again with watertight_retention or ALTER TABLE", e.Table, e.Key, e.Value, e.Err)
}

// Unwrap returns the fault of the value.
func (e *PropertyError) Unwrap() error { return e.Err }

type propertyMap map[string]string

func lowered(properties map[string]string) propertyMap {
	p := make(propertyMap, len(properties))
	for k, v := range properties {
		p[strings.ToLower(k)] = v
	}
	return p
}

func (p propertyMap) text(key string) string { return p[strings.ToLower(key)] }
