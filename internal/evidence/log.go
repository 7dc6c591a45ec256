package evidence

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
)

// Log is the four tables as lines of JSON, for those who keep them in a file.
type Log struct {
	runs      []scoped[Run]
	manifests []scoped[Manifest]
	ledger    []scoped[Verified]
	findings  []scoped[Finding]
	// latest is the table of the last line.
	latest Table
}

type scoped[R Record] struct {
	scope  string
	record R
}

type line struct {
	Schema int             `json:"schema"`
	Table  Table           `json:"table"`
	Scope  string          `json:"scope"`
	Record json.RawMessage `json:"record"`
}

// Line is a record as a line of the file, with its line end.
func Line(scope string, r Record) ([]byte, error) {
	record, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("evidence: %w", err)
	}
	text, err := json.Marshal(line{Schema: Schema, Table: r.table(), Scope: scope, Record: record})
	return append(text, '\n'), err
}

// Add takes the next line of the file. A line that is no record is an error: what is lost in a file must not be mistaken
// for what was never seen.
func (l *Log) Add(text []byte) error {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return nil
	}
	var n line
	if err := json.Unmarshal(text, &n); err != nil {
		return fmt.Errorf("evidence: not a line of JSON: %w", err)
	}
	if n.Schema > Schema {
		return fmt.Errorf("evidence: a record has shape %d, and this version reads up to %d: %w", n.Schema, Schema, ErrNewer)
	}
	l.latest = n.Table
	switch n.Table {
	case Runs:
		return take(&l.runs, n)
	case Manifests:
		return take(&l.manifests, n)
	case Ledger:
		return take(&l.ledger, n)
	case Findings:
		return take(&l.findings, n)
	}
	return fmt.Errorf("evidence: a record is of the table %q, which is none of %v", n.Table, Tables())
}

// ErrNewer says that a record was written by a newer version.
var ErrNewer = errors.New("use the version that wrote it, or newer")

// cutMark is the table that a CutLine names.
const cutMark Table = "watertight_cut"

// CutLine says of the line before it that whoever wrote it was ended in the middle.
func CutLine() []byte {
	return []byte("\n" + fmt.Sprintf(`{"schema":%d,"table":%q}`, Schema, cutMark) + "\n")
}

// IsCutLine recognises one.
func IsCutLine(text []byte) bool {
	var n line
	return json.Unmarshal(text, &n) == nil && n.Table == cutMark
}

// Cut says that the line after the last one was not written to its end. What it began stays out too: the manifest that the
// last lines are of lacks ranges, and would show them as never seen.
func (l *Log) Cut() {
	n := len(l.manifests)
	if l.latest != Manifests || n == 0 {
		return
	}
	of := l.manifests[n-1]
	l.manifests = slices.DeleteFunc(l.manifests, func(m scoped[Manifest]) bool {
		return m.scope == of.scope && m.record.SourceID == of.record.SourceID && m.record.SourceVersion == of.record.SourceVersion
	})
}

func take[R Record](all *[]scoped[R], n line) error {
	r := scoped[R]{scope: n.Scope}
	d := json.NewDecoder(bytes.NewReader(n.Record))
	d.DisallowUnknownFields()
	if err := d.Decode(&r.record); err != nil {
		return fmt.Errorf("evidence: a record of %s: %w", n.Table, err)
	}
	*all = append(*all, r)
	return nil
}

func of[R Record](all []scoped[R], scope string) iter.Seq[R] {
	return func(yield func(R) bool) {
		for _, r := range all {
			if r.scope == scope && !yield(r.record) {
				return
			}
		}
	}
}

// RunsSince is as Place.RunsSince asks.
func (l *Log) RunsSince(scope string, micros int64) []Run {
	var out []Run
	for r := range of(l.runs, scope) {
		if r.ReadAt.UnixMicro() >= micros {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b Run) int { return cmp.Or(a.ReadAt.Compare(b.ReadAt), a.VerifiedAt.Compare(b.VerifiedAt)) })
	return out
}

// Last is as Place.Last asks; nil when there is none.
func (l *Log) Last(scope string) *Run {
	var last *Run
	for r := range of(l.runs, scope) {
		if last == nil || r.VerifiedAt.After(last.VerifiedAt) || r.VerifiedAt.Equal(last.VerifiedAt) && r.Verdict != passed {
			last = &r
		}
	}
	return last
}

// VerifiedThrough is as Place.VerifiedThrough asks.
func (l *Log) VerifiedThrough(scope, definition string) []Verified {
	newest := map[string][]Verified{}
	for r := range of(l.ledger, scope) {
		if r.Definition != definition {
			continue
		}
		order := 1
		if old := newest[r.Partition]; len(old) > 0 {
			order = cmp.Or(r.VerifiedAt.Compare(old[0].VerifiedAt), cmp.Compare(r.TargetVersion, old[0].TargetVersion))
		}
		switch {
		case order > 0:
			newest[r.Partition] = []Verified{r}
		case order == 0:
			newest[r.Partition] = append(newest[r.Partition], r)
		}
	}
	var out []Verified
	for _, all := range newest {
		out = append(out, all...)
	}
	slices.SortFunc(out, func(a, b Verified) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Low, b.Low), cmp.Compare(a.High, b.High))
	})
	return out
}

// Newest is as Place.Newest asks.
func (l *Log) Newest(scope string) []Finding {
	newest := map[string]Finding{}
	for r := range of(l.findings, scope) {
		if old, ok := newest[r.Name]; !ok || r.RecordedAt.After(old.RecordedAt) {
			newest[r.Name] = r
		}
	}
	return sorted(newest, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Low, b.Low), cmp.Compare(a.High, b.High), cmp.Compare(a.Name, b.Name))
	})
}

func sorted[K comparable, R any](m map[K]R, compare func(a, b R) int) []R {
	var out []R
	for _, r := range m {
		out = append(out, r)
	}
	slices.SortFunc(out, compare)
	return out
}
