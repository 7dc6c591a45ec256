package contract

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
)

// longestTag is how many characters the value of a tag may have.
const longestTag = 255

// TagPrefix begins the name of every tag that Watertight writes.
const TagPrefix = "watertight_"

// TagOwner names the resource that made a job, by a random text of its own: two jobs of one name are told apart by it,
// and a job whose creation got no answer is found by it. It is no part of a contract.
const TagOwner = TagPrefix + "owner"

const (
	tagSource      = TagPrefix + "source"
	tagTarget      = TagPrefix + "target"
	tagKey         = TagPrefix + "key"
	tagEventTime   = TagPrefix + "event_time"
	tagSettleDelay = TagPrefix + "settle_delay"
	tagSettleClock = TagPrefix + "settle_clock"
	tagStrict      = TagPrefix + "strict"
	tagEvidence    = TagPrefix + "evidence"
	tagReads       = TagPrefix + "reads"
)

// IsContractTag tells whether a tag holds a part of a contract, which is an attribute of the tag's name without its prefix.
func IsContractTag(tag string) bool {
	switch tag {
	case tagSource, tagTarget, tagKey, tagEventTime, tagSettleDelay, tagSettleClock, tagStrict, tagEvidence, tagReads,
		TagPrefix + "broker_retention", TagPrefix + "longest_gap", TagPrefix + "longest_silence":
		return true
	}
	return false
}

// TagError is a tag that cannot be read.
type TagError struct {
	Tag, Value string
	Err        error
}

// Error names the tag, its value and the remedy.
func (e *TagError) Error() string {
	if e.Value == "" {
		return fmt.Sprintf("tag %s is missing: %v; apply the configuration that declares the job, or mend the tag", e.Tag, e.Err)
	}
	return fmt.Sprintf("tag %s = %q: %v; apply the configuration that declares the job, or mend the tag", e.Tag, e.Value, e.Err)
}

// Unwrap returns the fault of the value.
func (e *TagError) Unwrap() error { return e.Err }

// Tags writes the contract as tags of the loader job. Defaults are written too, so that a change of a default in a
// later version changes no promise; what is not declared is left out.
func (c Contract) Tags() map[string]string {
	tags := map[string]string{
		tagSource: c.Source, tagTarget: c.Target, tagKey: c.Key.tag(), tagEventTime: c.EventTime,
		tagSettleDelay: interval.Short(c.SettleDelay), tagSettleClock: orDefault(string(c.SettleClock), string(coverage.SettleWall)),
		tagReads: orDefault(string(c.Reads), string(coverage.ReadsSnapshot)),
	}
	if c.Strict {
		tags[tagStrict] = "true"
	}
	if c.Evidence != "" {
		tags[tagEvidence] = c.Evidence
	}
	for _, d := range c.lengths()[1:] {
		if d.value != 0 {
			tags[TagPrefix+d.field] = interval.Short(d.value)
		}
	}
	return tags
}

// FromTags reads the contract from a job's tags. False without an error: the job carries none. Each part that is
// missing or broken is a *TagError; several are joined.
func FromTags(tags map[string]string) (Contract, bool, error) {
	if tags[tagSource] == "" && tags[tagTarget] == "" && tags[tagKey] == "" {
		return Contract{}, false, nil
	}
	r := reader{tags: tags}
	c := Contract{
		Source: tags[tagSource], Target: tags[tagTarget], EventTime: tags[tagEventTime], Evidence: tags[tagEvidence],
		SettleClock: coverage.Clock(orDefault(tags[tagSettleClock], string(coverage.SettleWall))),
		Reads:       coverage.Reads(orDefault(tags[tagReads], string(coverage.ReadsSnapshot))),
		SettleDelay: r.length(tagSettleDelay, true), Strict: r.truth(tagStrict), BrokerRetention: r.length(TagPrefix+"broker_retention", false),
		LongestGap: r.length(TagPrefix+"longest_gap", false), LongestSilence: r.length(TagPrefix+"longest_silence", false),
	}
	var err error
	if c.Key, err = ParseKey(tags[tagKey]); err != nil {
		r.fail(tagKey, err)
	}
	for _, p := range c.Validate() {
		tag := TagPrefix + strings.SplitN(p.Field, ".", 2)[0]
		r.fail(tag, errors.New(p.Reason+"; "+p.Hint))
	}
	if err := errors.Join(r.errs...); err != nil {
		return Contract{}, false, err
	}
	return c, true, nil
}

// reader reads tags and keeps one error for each that is broken.
type reader struct {
	tags   map[string]string
	errs   []error
	failed map[string]bool
}

func (r *reader) fail(tag string, err error) {
	if r.failed[tag] {
		return
	}
	if r.failed == nil {
		r.failed = map[string]bool{}
	}
	r.failed[tag] = true
	r.errs = append(r.errs, &TagError{tag, r.tags[tag], err})
}

func (r *reader) length(tag string, needed bool) time.Duration {
	text, ok := r.tags[tag]
	if !ok && !needed {
		return 0
	}
	d, err := interval.Parse(text)
	if err != nil {
		r.fail(tag, err)
	}
	return d
}

func (r *reader) truth(tag string) bool {
	switch text := r.tags[tag]; strings.ToLower(text) {
	case "", "false":
	case "true":
		return true
	default:
		r.fail(tag, errors.New("is neither true nor false"))
	}
	return false
}

func orDefault(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
