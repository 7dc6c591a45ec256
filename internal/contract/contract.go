// Package contract is what a loader promises: which rows it takes from where to where, how a row is known, and how old
// a row must be before it may be read. It also says how Databricks objects carry that promise: tags of the loader job,
// properties of the source table, tags of the OPTIMIZE job. It reads and writes none of them.
package contract

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
)

// Contract is a loader's promise.
type Contract struct {
	// Source and Target are complete table names.
	Source, Target string
	Key            Key
	// EventTime is the source's timestamp column that ages a row.
	EventTime string
	// SettleDelay is the age a row must have before the loader may read it; SettleClock says by which clock.
	SettleDelay time.Duration
	SettleClock coverage.Clock
	// Strict says that a row whose age equals the settle delay is not read yet.
	Strict bool
	// Evidence is the schema that keeps manifests and findings; empty for none.
	Evidence string
	Reads    coverage.Reads
	// BrokerRetention, LongestGap and LongestSilence are declared where nothing else can tell them; zero for not declared.
	BrokerRetention, LongestGap, LongestSilence time.Duration
}

// Key is how a row is known: a partition with a sequence number in it, or any columns.
type Key struct {
	Partition, Sequence string
	Columns             []string
}

// Problem is one fault of a contract.
type Problem struct {
	// Field is the attribute at fault, as key.partition; Value what it holds.
	Field, Value string
	// Reason says what is wrong, Hint what to write instead.
	Reason, Hint string
}

// Error names the place, the value, the reason and the remedy.
func (p Problem) Error() string {
	if p.Value == "" {
		return fmt.Sprintf("%s: %s; %s", p.Field, p.Reason, p.Hint)
	}
	return fmt.Sprintf("%s %q: %s; %s", p.Field, p.Value, p.Reason, p.Hint)
}

// Validate returns every fault, in the order of the fields.
func (c Contract) Validate() []Problem {
	var problems []Problem
	add := func(field, value, reason, hint string) {
		problems = append(problems, Problem{Field: field, Value: value, Reason: reason, Hint: hint})
	}
	for _, t := range []struct{ field, name string }{{"source", c.Source}, {"target", c.Target}} {
		var fault *TableError
		if _, err := ParseTable(t.name); errors.As(err, &fault) {
			add(t.field, t.name, fault.Reason, fault.Hint)
		}
	}
	source, sourceErr := ParseTable(c.Source)
	target, targetErr := ParseTable(c.Target)
	if sourceErr == nil && targetErr == nil && source.Is(target) {
		add("target", c.Target, "is the source itself", "name the permanent table")
	}
	problems = append(problems, c.Key.validate()...)
	if reason := columnFault(c.EventTime); reason != "" {
		add("event_time", c.EventTime, reason, "name the timestamp column that says when the event happened")
	}
	for _, d := range c.lengths() {
		switch {
		case d.value < 0:
			add(d.field, interval.Short(d.value), "is negative", "write 0s or more, such as 30m")
		case d.value%time.Second != 0:
			add(d.field, interval.Short(d.value), "is finer than a second", "write whole seconds, such as 90s")
		}
	}
	if _, err := coverage.ParseClock(string(c.SettleClock)); err != nil {
		add("settle_clock", string(c.SettleClock), "is no settle clock", "write wall or newest_event")
	}
	if _, err := coverage.ParseReads(string(c.Reads)); err != nil {
		add("reads", string(c.Reads), "is no way to read a source", "write snapshot, delta_stream, change_feed, event_hubs or kafka")
	}
	if c.Evidence != "" {
		if reason := schemaFault(c.Evidence); reason != "" {
			add("evidence", c.Evidence, reason, "name a schema as catalog.schema, such as main.ops")
		}
	}
	return append(problems, c.validateTags()...)
}

type length struct {
	field string
	value time.Duration
}

func (c Contract) lengths() []length {
	return []length{{"settle_delay", c.SettleDelay}, {"broker_retention", c.BrokerRetention}, {"longest_gap", c.LongestGap}, {"longest_silence", c.LongestSilence}}
}

// validateTags finds what a tag could not carry.
func (c Contract) validateTags() []Problem {
	var problems []Problem
	tags := c.Tags()
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		if n := len(tags[tag]); n > longestTag {
			problems = append(problems, Problem{strings.TrimPrefix(tag, TagPrefix), tags[tag],
				fmt.Sprintf("has %d characters, and its tag %s holds %d", n, tag, longestTag), "use shorter names"})
		}
	}
	return problems
}

// Names are the columns of the key, in order.
func (k Key) Names() []string {
	if len(k.Columns) > 0 {
		return k.Columns
	}
	return []string{k.Partition, k.Sequence}
}

func (k Key) validate() []Problem {
	if len(k.Columns) > 0 {
		return k.validateColumns()
	}
	var problems []Problem
	for _, c := range []struct{ field, name string }{{"key.partition", k.Partition}, {"key.sequence", k.Sequence}} {
		if reason := columnFault(c.name); reason != "" {
			problems = append(problems, Problem{c.field, c.name, reason, "name a column of the source, as key = { partition = \"p\", sequence = \"seq\" }"})
		}
	}
	if k.Partition != "" && strings.EqualFold(k.Partition, k.Sequence) {
		problems = append(problems, Problem{"key.sequence", k.Sequence, "is the partition column too", "name the column that counts within a partition"})
	}
	return problems
}

func (k Key) validateColumns() []Problem {
	if k.Partition != "" || k.Sequence != "" {
		return []Problem{{"key.columns", strings.Join(k.Columns, ","), "stands beside partition and sequence", "give either partition and sequence, or columns"}}
	}
	var problems []Problem
	for i, name := range k.Columns {
		field := fmt.Sprintf("key.columns[%d]", i)
		if reason := columnFault(name); reason != "" {
			problems = append(problems, Problem{field, name, reason, "name a column of the source"})
		}
		if slices.ContainsFunc(k.Columns[:i], func(n string) bool { return strings.EqualFold(n, name) }) {
			problems = append(problems, Problem{field, name, "is named twice", "name each column once"})
		}
	}
	return problems
}

// String writes the key as flags and people do: p,seq or columns:a,b,c.
func (k Key) String() string { return k.join(",") }

// tag writes the key for a tag, with dots between the columns: a job's tags go on to its clusters, where AWS and Google
// allow no comma (databricks/cli libs/tags). A column with a dot in it needs the comma.
func (k Key) tag() string {
	if !slices.ContainsFunc(k.Names(), func(n string) bool { return strings.Contains(n, ".") }) {
		return k.join(".")
	}
	if len(k.Columns) == 1 {
		return k.join(",") + ","
	}
	return k.join(",")
}

func (k Key) join(separator string) string {
	if len(k.Columns) > 0 {
		return columnsPrefix + strings.Join(k.Columns, separator)
	}
	if k.Partition == "" && k.Sequence == "" {
		return ""
	}
	return k.Partition + separator + k.Sequence
}

const columnsPrefix = "columns:"

// ParseKey reads a key as flags and tags write it: p,seq or columns:a,b,c; dots do for commas where there are none.
func ParseKey(text string) (Key, error) {
	if list, ok := strings.CutPrefix(text, columnsPrefix); ok {
		k := Key{Columns: split(list)}
		return k, first(k.validate())
	}
	parts := split(text)
	if len(parts) != 2 {
		return Key{}, Problem{"key", text, "is not a partition and a sequence", "write both columns with a comma, as technical_partition,technical_sequenceNumber"}
	}
	k := Key{Partition: parts[0], Sequence: parts[1]}
	return k, first(k.validate())
}

func first(problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	return problems[0]
}

func split(list string) []string {
	separator := ","
	if !strings.Contains(list, ",") {
		separator = "."
	}
	if before, ok := strings.CutSuffix(list, ","); ok && !strings.Contains(before, ",") && before != "" {
		list = before // one column with a dot in it
	}
	parts := strings.Split(list, separator)
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// columnFault refuses what a tag's list could not carry back; Delta refuses most of it as well without column mapping.
func columnFault(name string) string {
	switch {
	case name == "":
		return "is empty"
	case strings.ContainsAny(name, ",;{}()\n\t=`"):
		return "holds a character that no column of a contract may have (, ; { } ( ) = ` tab, line break)"
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == unicode.ReplacementChar }):
		return "holds a control character"
	case strings.TrimSpace(name) != name:
		return "begins or ends with a space"
	case len(name) > longestName:
		return fmt.Sprintf("has more than %d characters", longestName)
	}
	return ""
}

const longestName = 255

func schemaFault(name string) string {
	parts, ok := splitName(name)
	if !ok || len(parts) != 2 {
		return "is not a schema in two parts"
	}
	return ""
}
