package contract_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
)

// Every contract that is valid comes back from its tags as it was.
func TestTagsRoundTrip(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*contract.Contract){
		"the incident":            func(*contract.Contract) {},
		"no delay at all":         func(c *contract.Contract) { c.SettleDelay = 0 },
		"an odd delay":            func(c *contract.Contract) { c.SettleDelay = 25*time.Hour + 61*time.Second },
		"not strict, no evidence": func(c *contract.Contract) { c.Strict, c.Evidence = false, "" },
		"a broker":                func(c *contract.Contract) { c.Reads, c.BrokerRetention = coverage.ReadsEventHubs, 7*24*time.Hour },
		"declared lengths":        func(c *contract.Contract) { c.LongestGap, c.LongestSilence = time.Hour, 90*time.Second },
		"one column":              func(c *contract.Contract) { c.Key = contract.Key{Columns: []string{"id"}} },
		"two columns":             func(c *contract.Contract) { c.Key = contract.Key{Columns: []string{"a", "b"}} },
		"one nested column":       func(c *contract.Contract) { c.Key = contract.Key{Columns: []string{"a.b"}} },
		"nested columns":          func(c *contract.Contract) { c.Key = contract.Key{Columns: []string{"a.b", "c", "d.e.f"}} },
		"a nested sequence":       func(c *contract.Contract) { c.Key = contract.Key{Partition: "p", Sequence: "meta.seq"} },
		"names with blanks":       func(c *contract.Contract) { c.Key = contract.Key{Partition: "my partition", Sequence: "ü"} },
		"quoted table names":      func(c *contract.Contract) { c.Source = "main.e.`odd-t`" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := incident()
			change(&want)
			if p := want.Validate(); len(p) > 0 {
				t.Fatal(p)
			}
			got, ok, err := contract.FromTags(want.Tags())
			if err != nil || !ok {
				t.Fatal(ok, err, want.Tags())
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d, want.Tags())
			}
			key, err := contract.ParseKey(want.Key.String())
			if needsComma := len(want.Key.Columns) == 1 && strings.Contains(want.Key.Columns[0], "."); err != nil || !needsComma && cmp.Diff(want.Key, key) != "" {
				t.Errorf("%q: %v, %v", want.Key, key, err)
			}
		})
	}
}

// The tags of a job go on to its clusters: what AWS and Google allow there, after databricks/cli libs/tags/aws.go, gcp.go.
func TestTagsSuitClusters(t *testing.T) {
	t.Parallel()
	both := regexp.MustCompile(`^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$`)
	c := incident()
	c.LongestSilence, c.BrokerRetention = time.Hour, 7*24*time.Hour
	for k, v := range c.Tags() {
		if !both.MatchString(k) || !both.MatchString(v) || len(k) > 63 || len(v) > 63 {
			t.Errorf("%s = %s cannot be the tag of a cluster", k, v)
		}
	}
}

func TestEveryBrokenTagIsNamed(t *testing.T) {
	t.Parallel()
	_, ok, err := contract.FromTags(map[string]string{"watertight_source": "t", "watertight_key": "p,p", "watertight_settle_delay": "soon", "watertight_longest_gap": "1 month"})
	if ok || err == nil {
		t.Fatal(ok, err)
	}
	for _, tag := range []string{"watertight_source", "watertight_target is missing", "watertight_key", "watertight_event_time is missing", "watertight_settle_delay", "watertight_longest_gap"} {
		if !strings.Contains(err.Error(), tag) {
			t.Errorf("%v does not name %s", err, tag)
		}
	}
}

func TestTagsAreNotTooLong(t *testing.T) {
	t.Parallel()
	c := incident()
	for range 30 {
		c.Key.Columns = append(c.Key.Columns, "column_"+strings.Repeat("x", len(c.Key.Columns)))
	}
	c.Key.Partition, c.Key.Sequence = "", ""
	problems := c.Validate()
	if len(problems) != 1 || problems[0].Field != "key" || !strings.Contains(problems[0].Reason, "255") {
		t.Errorf("got %v", problems)
	}
}

func TestParseKey(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]contract.Key{
		"p,seq": {Partition: "p", Sequence: "seq"}, " p , seq ": {Partition: "p", Sequence: "seq"}, "p.seq": {Partition: "p", Sequence: "seq"},
		"p,meta.seq": {Partition: "p", Sequence: "meta.seq"}, "columns:a,b,c": {Columns: []string{"a", "b", "c"}}, "columns:a.b": {Columns: []string{"a", "b"}},
		"columns:a.b,": {Columns: []string{"a.b"}},
	} {
		if got, err := contract.ParseKey(text); err != nil || cmp.Diff(want, got) != "" {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "p", "p,", ",seq", "p,seq,x", "p,p", "p,P", "columns:", "columns:a,,b", "columns:a,a", "p,s`q", "p,s;q", "p,s\nq"} {
		if got, err := contract.ParseKey(text); err == nil || !strings.Contains(err.Error(), "key") {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

func TestSourceAndTarget(t *testing.T) {
	t.Parallel()
	c := incident()
	c.Target = "MAIN.events.`stream_messages`"
	if p := c.Validate(); len(p) != 1 || p[0].Field != "target" {
		t.Errorf("the target is the source: %v", p)
	}
}

// A contract that jobs carry passes the validation of settings only where the attributes own it.
func TestTagsAreOwned(t *testing.T) {
	t.Parallel()
	tags := map[string]any{}
	for k, v := range incident().Tags() {
		tags[k] = v
	}
	s := jobspec.Settings{"tags": tags}
	if p := jobspec.ValidateFields(s); len(p) != 0 {
		t.Error(p)
	}
	if p := jobspec.Validate(s, jobspec.Attributes{}); len(p) != len(tags) {
		t.Errorf("%d of %d tags are owned", len(p), len(tags))
	}
}
