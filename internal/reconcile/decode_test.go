package reconcile

import (
	"strings"
	"testing"
)

// S06 delta-io/delta#5864: counts come as texts, can be above 2^53, and can be null. They are exact, or an error; never a
// rounded number, and never 0 for null.
func TestCountsAreExact(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	for _, tt := range []struct {
		cell *string
		want int64
		err  string
	}{
		{text("0"), 0, ""},
		{text("9007199254740993"), 9007199254740993, ""},
		{text("-9223372036854775808"), -9223372036854775808, ""},
		{text("9223372036854775808"), 0, "not a whole number of 64 bits"},
		{text("1E3"), 0, "not a whole number"},
		{text("12.0"), 0, "not a whole number"},
		{text(""), 0, "not a whole number"},
		{nil, 0, "null where a number belongs"},
	} {
		n, err := ReadCount([]*string{tt.cell})
		if tt.err == "" && (err != nil || n != tt.want) || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
			t.Errorf("%v: %d, %v", tt, n, err)
		}
	}
	if _, err := ReadCount(nil); err == nil {
		t.Error("a row without a cell is a count")
	}
	if _, err := ReadWritten([]*string{text("1"), nil, text("2")}); err == nil {
		t.Error("null rows before are a count")
	}
}
