package contract

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
)

const (
	tagPurgeTarget    = TagPurge + "_target"
	tagPurgeKey       = TagPurge + "_key"
	tagPurgeEventTime = TagPurge + "_event_time"
	tagPurgeWindow    = TagPurge + "_window"
	tagPurgeLoader    = TagPurge + "_loader"
)

// Purge is which rows may be deleted from a source: those that are older than its window and in the target. Its tags stay
// on the job that deletes them.
type Purge struct {
	// Source loses rows whose key is in Target.
	Source, Target string
	Key            Key
	// EventTime is the column of the source by which rows grow older than Window.
	EventTime string
	Window    time.Duration
	// LoaderID is the job that fills the target; zero when it is not known.
	LoaderID int64
}

// Validate returns every fault, in the order of the fields.
func (p Purge) Validate() []Problem {
	problems := Contract{Source: p.Source, Target: p.Target, Key: p.Key, EventTime: p.EventTime, SettleClock: "wall", Reads: "snapshot"}.Validate()
	if p.Window <= 0 || p.Window%time.Second != 0 {
		problems = append(problems, Problem{"rolling_window", interval.Short(p.Window), "is no rolling window of whole seconds", "write a length such as 24h"})
	}
	tags := p.Tags()
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		if n := len(tags[tag]); n > longestTag {
			problems = append(problems, Problem{strings.TrimPrefix(tag, TagPurge+"_"), tags[tag], fmt.Sprintf("has %d characters, and its tag %s holds %d", n, tag, longestTag), "use shorter names"})
		}
	}
	return problems
}

// Tags writes it as tags of the purge job.
func (p Purge) Tags() map[string]string {
	tags := map[string]string{
		TagPurge: p.Source, tagPurgeTarget: p.Target, tagPurgeKey: p.Key.tag(), tagPurgeEventTime: p.EventTime, tagPurgeWindow: interval.Short(p.Window),
	}
	if p.LoaderID > 0 {
		tags[tagPurgeLoader] = strconv.FormatInt(p.LoaderID, 10)
	}
	return tags
}

// PurgeFromTags reads it from a job's tags. False without an error: the job deletes nothing. Each part that is missing or
// broken is a *TagError; several are joined.
func PurgeFromTags(tags map[string]string) (Purge, bool, error) {
	if tags[TagPurge] == "" {
		return Purge{}, false, nil
	}
	r := reader{tags: tags}
	p := Purge{Source: tags[TagPurge], Target: tags[tagPurgeTarget], EventTime: tags[tagPurgeEventTime], Window: r.length(tagPurgeWindow, true)}
	var err error
	if p.Key, err = ParseKey(tags[tagPurgeKey]); err != nil {
		r.fail(tagPurgeKey, err)
	}
	if text := tags[tagPurgeLoader]; text != "" {
		if p.LoaderID, err = strconv.ParseInt(text, 10, 64); err != nil || p.LoaderID <= 0 {
			r.fail(tagPurgeLoader, errors.New("is no job id"))
		}
	}
	places := map[string]string{"source": TagPurge, "target": tagPurgeTarget, "key": tagPurgeKey, "event_time": tagPurgeEventTime, "rolling_window": tagPurgeWindow}
	for _, f := range p.Validate() {
		root, _, _ := strings.Cut(f.Field, ".")
		if tag, ok := places[root]; ok {
			r.fail(tag, errors.New(f.Reason+"; "+f.Hint))
		}
	}
	if err := errors.Join(r.errs...); err != nil {
		return Purge{}, false, err
	}
	return p, true, nil
}
