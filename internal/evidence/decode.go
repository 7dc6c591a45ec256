package evidence

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Range is a row of Listed or Unlisted.
type Range struct {
	Partition           string
	Low, High           int64
	FirstSeen, LastSeen time.Time
	// Earliest and Latest are event times; zero when none was known.
	Earliest, Latest time.Time
}

// reader reads the texts of one row in order and keeps the first mistake.
type reader struct {
	row []*string
	at  int
	err error
}

func (r *reader) next() *string {
	if r.at >= len(r.row) {
		r.fail("the row has %d values", len(r.row))
		return nil
	}
	r.at++
	return r.row[r.at-1]
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("evidence: column %d: %s", r.at, fmt.Sprintf(format, args...))
	}
}

// number is a whole number, or what stands for null.
func (r *reader) number(null int64) int64 {
	t := r.next()
	if t == nil {
		return null
	}
	n, err := strconv.ParseInt(*t, 10, 64)
	if err != nil {
		r.fail("%q is not a whole number of 64 bits", *t)
	}
	return n
}

func (r *reader) text() string {
	if t := r.next(); t != nil {
		return strings.Clone(*t)
	}
	return ""
}

// instant reads microseconds; null is zero.
func (r *reader) instant() time.Time {
	t := r.next()
	if t == nil {
		return time.Time{}
	}
	n, err := strconv.ParseInt(*t, 10, 64)
	if err != nil {
		r.fail("%q is not an instant in microseconds", *t)
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}

func (r *reader) truth() bool {
	t := r.next()
	return t != nil && *t == "true"
}

func (r *reader) marks() map[string]int64 {
	t := r.next()
	if t == nil {
		return nil
	}
	var m map[string]int64
	if err := json.Unmarshal([]byte(*t), &m); err != nil {
		r.fail("%q does not hold watermarks: %v", *t, err)
	}
	return m
}

// ReadRange reads a row of Listed or Unlisted.
func ReadRange(row []*string) (Range, error) {
	r := reader{row: row}
	v := Range{Partition: r.text(), Low: r.number(0), High: r.number(0), FirstSeen: r.instant(), LastSeen: r.instant(), Earliest: r.instant(), Latest: r.instant()}
	return v, r.err
}

// ReadManifest reads a row of Ranges; the version it belongs to is the asker's.
func ReadManifest(row []*string) (Manifest, error) {
	r := reader{row: row}
	v := Manifest{Partition: r.text(), Low: r.number(0), High: r.number(0), Earliest: r.instant(), Latest: r.instant()}
	return v, r.err
}

// ReadRun reads a row of RunsSince.
func ReadRun(row []*string) (Run, error) {
	r := reader{row: row}
	v := Run{JobID: r.number(0), RunID: r.number(0), VerifiedAt: r.instant(), ReadAt: r.instant(), Cutoff: r.instant(), SourceVersion: r.number(-1),
		TargetVersion: r.number(-1), Watermarks: r.marks(), Added: r.number(-1), Verdict: r.text(), Due: r.number(0), Missing: r.number(0),
		Definition: r.text(), SourceID: r.text(), TargetID: r.text(), Outcome: r.outcome()}
	return v, r.err
}

// ReadVerified reads a row of VerifiedThrough.
func ReadVerified(row []*string) (Verified, error) {
	r := reader{row: row}
	v := Verified{Definition: r.text(), Partition: r.text(), Low: r.number(0), High: r.number(0), TargetVersion: r.number(-1), TargetID: r.text(), VerifiedAt: r.instant()}
	return v, r.err
}

// ReadFinding reads a row of Newest.
func ReadFinding(row []*string) (Finding, error) {
	r := reader{row: row}
	v := Finding{Name: r.text(), RunID: r.number(0), TargetVersion: r.number(-1), RecordedAt: r.instant(), Partition: r.text(), Low: r.number(0), High: r.number(0), Rows: r.number(0),
		State: r.text(), Cause: r.text(), Proof: r.text(), Confirmed: r.truth(), Earliest: r.instant(), Latest: r.instant(), RecoverableUntil: r.instant(),
		RecoveredBy: r.text(), Reason: r.text()}
	return v, r.err
}
