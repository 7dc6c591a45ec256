package provider_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

// statements are what was sent since the last reset, without the words around them.
func statements(w *local.Workspace) []string {
	var out []string
	for _, body := range altered(w) {
		text := regexp.MustCompile(`"statement":"((?:[^"\\]|\\.)*)"`).FindStringSubmatch(body)[1]
		text = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", "ALTER TABLE `main`.`events`.`source` ", "", "TBLPROPERTIES ", "").Replace(text)
		text = regexp.MustCompile(`'watertight.owner' = '[-0-9a-f]{36}'`).ReplaceAllString(text, "owner")
		out = append(out, strings.ReplaceAll(text, "watertight.", ""))
	}
	return out
}

// modes are the three ways to expire, as a configuration has them.
func modes() map[string]string {
	return map[string]string{
		"external": "  event_time = \"at\"\n  rolling_window = \"48h\"",
		"auto_ttl": "  event_time = \"at\"\n  rolling_window = \"48h\"\n  expire_by = \"auto_ttl\"",
		"purge":    "  rolling_window = \"48h\"\n" + purging,
	}
}

// Every way leads to every other, with exactly the statements it takes, in an order in which the table never promises more
// than it keeps; the next plan is empty, and nothing of somebody else's is touched.
func TestRetentionTransitions(t *testing.T) {
	t.Parallel()
	const setBy = "SET ('expire_by' = '%s')"
	ttl, drop := "DELETE ROWS 2 DAYS AFTER `at`", "DROP ROW DELETION"
	for name, c := range map[string]struct {
		want             []string
		creates, deletes int
		file             bool
	}{
		"external auto_ttl": {[]string{fmt.Sprintf(setBy, "auto_ttl"), ttl}, 0, 0, false},
		"external purge":    {[]string{fmt.Sprintf(setBy, "purge_job")}, 1, 0, true},
		"auto_ttl external": {[]string{drop, fmt.Sprintf(setBy, "external")}, 0, 0, false},
		"auto_ttl purge":    {[]string{drop, fmt.Sprintf(setBy, "purge_job")}, 1, 0, true},
		"purge external":    {[]string{fmt.Sprintf(setBy, "external")}, 0, 1, false},
		"purge auto_ttl":    {[]string{fmt.Sprintf(setBy, "auto_ttl"), ttl}, 0, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := openPair(t, local.Behaviour{PlatformProperties: true})
			sql(t, w, "ALTER TABLE main.events.source SET TBLPROPERTIES ('team' = 'data', 'delta.logRetentionDuration' = 'interval 60 days')")
			from, to, _ := strings.Cut(name, " ")
			s := newShell(t, with(w, retention(modes()[from])))
			s.apply()
			s.write(with(w, retention(modes()[to])))
			w.ResetRequests()
			s.apply()
			if d := cmp.Diff(c.want, statements(w)); d != "" {
				t.Error(d)
			}
			if n, m, f := w.Count("POST", "jobs/create"), w.Count("POST", "jobs/delete"), w.Count("POST", "workspace/import"); n != c.creates || m != c.deletes || (f > 0) != c.file {
				t.Errorf("%d creates, %d deletes, %d files", n, m, f)
			}
			if out, code := s.plan(); code != 0 {
				t.Errorf("second plan: exit %d\n%s", code, out)
			}
			s.must("destroy", "-no-color", "-auto-approve")
			p := properties(t, w)
			if p["team"] != "data" || p["delta.logRetentionDuration"] != "interval 60 days" {
				t.Errorf("what was foreign is gone: %v", p)
			}
			for key := range p {
				if strings.HasPrefix(key, "watertight.") || strings.HasPrefix(key, "autottl.") {
					t.Errorf("after destroy %s is still set", key)
				}
			}
			for j, err := range outside(t, w).Jobs(t.Context()) {
				t.Errorf("job %v is left: %v", j.Settings["name"], err)
			}
			// T05 databricks/terraform-provider-databricks#3822: nothing that loses data was ever sent. T12
			// databricks/terraform-provider-databricks#2992: and no cluster was started.
			for _, q := range statements(w) {
				if regexp.MustCompile(`(?i)\b(DROP TABLE|CREATE|REPLACE|DELETE FROM|TRUNCATE|MERGE)\b`).MatchString(q) {
					t.Errorf("sent %s", q)
				}
			}
			if n := w.Count("POST", "clusters/create"); n != 0 {
				t.Errorf("%d clusters were started", n)
			}
		})
	}
}

// A window that grows is granted before it is promised, one that shrinks is promised before it is taken; another column is
// one statement. T05: none of it drops or makes a table.
func TestRetentionWindowAndColumn(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{})
	sql(t, w, "ALTER TABLE main.events.source ADD COLUMNS (day DATE)")
	ttl := func(window, column string) string {
		return with(w, retention(fmt.Sprintf("  event_time = %q\n  rolling_window = %q\n  expire_by = \"auto_ttl\"", column, window)))
	}
	s := newShell(t, ttl("2 days", "at"))
	s.apply()
	for _, c := range []struct {
		window, column string
		want           []string
	}{
		{"5 days", "at", []string{"DELETE ROWS 5 DAYS AFTER `at`", "SET ('rolling_window' = '120h')"}},
		{"3 days", "at", []string{"SET ('rolling_window' = '72h')", "DELETE ROWS 3 DAYS AFTER `at`"}},
		{"3 days", "day", []string{"SET ('event_time' = 'day')", "DELETE ROWS 3 DAYS AFTER `day`"}},
		{"72h", "DAY", nil},
	} {
		s.write(ttl(c.window, c.column))
		w.ResetRequests()
		s.apply()
		got := slices.DeleteFunc(statements(w), func(q string) bool { return q == "SET ('event_time' = 'DAY')" })
		if d := cmp.Diff(c.want, got); d != "" && len(c.want)+len(got) > 0 {
			t.Errorf("%s after %s: %s", c.window, c.column, d)
		}
		if out, code := s.plan(); code != 0 {
			t.Errorf("second plan: exit %d\n%s", code, out)
		}
	}
}

// The window of a purge job is in its file: it is rewritten, and the job is not made anew.
func TestRetentionPurgeWindow(t *testing.T) {
	t.Parallel()
	w := openPair(t, local.Behaviour{})
	at := func(window string) string { return with(w, retention("  rolling_window = \""+window+"\"\n"+purging)) }
	s := newShell(t, at("24h"))
	s.apply()
	id := jobNamed(t, w, "purge main.events.source").ID
	for _, window := range []string{"36h", "12h", "90m"} {
		s.write(at(window))
		w.ResetRequests()
		if out, code := s.plan(); code != 2 || !strings.Contains(out, "timestampadd") {
			t.Errorf("%s: the plan does not show the statement: exit %d\n%s", window, code, out)
		}
		s.apply()
		if n, m := w.Count("POST", "jobs/reset"), w.Count("POST", "jobs/create"); n != 1 || m != 0 {
			t.Errorf("%s: %d resets, %d creates", window, n, m)
		}
		if out, code := s.plan(); code != 0 {
			t.Errorf("%s: exit %d\n%s", window, code, out)
		}
	}
	j := jobNamed(t, w, "purge main.events.source")
	content, err := outside(t, w).ReadFile(t.Context(), fileOf(j))
	if err != nil || j.ID != id || strings.Count(string(content), "timestampadd(MINUTE, -90, current_timestamp())") != 2 || tagsOf(j.Settings)["watertight_purge_window"] != "1h30m" {
		t.Errorf("%v\n%s, %v", j.Settings, content, err)
	}
}

// Auto-TTL that somebody switches on, off or to other days is seen, and only what was set here is taken back.
func TestRetentionAutoTTLByOthers(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{})
	s := newShell(t, with(w, retention(modes()["auto_ttl"])))
	s.apply()
	for _, c := range []struct{ alter, says string }{
		{"DELETE ROWS 9 DAYS AFTER at", `rolling_window: "48h" became "216h"`},
		{"DROP ROW DELETION", `expire_by: "auto_ttl" became nothing`},
	} {
		sql(t, w, "ALTER TABLE main.events.source "+c.alter)
		out, code := s.plan()
		if code != 2 {
			t.Errorf("%s: exit %d", c.alter, code)
		}
		wantAll(t, prose(out), "The retention was changed outside of Terraform", c.says, "by owner@workspace.local")
		w.ResetRequests()
		s.apply()
		if d := cmp.Diff([]string{"DELETE ROWS 2 DAYS AFTER `at`"}, statements(w)); d != "" {
			t.Errorf("%s: %s", c.alter, d)
		}
		if out, code := s.plan(); code != 0 || strings.Contains(out, "Warning") {
			t.Errorf("%s: exit %d\n%s", c.alter, code, out)
		}
	}
	// Somebody's own row deletion on a table that expires otherwise is warned of, and stays.
	s.write(with(w, retention(modes()["external"])))
	s.apply()
	sql(t, w, "ALTER TABLE main.events.source DELETE ROWS 2 DAYS AFTER at")
	if out, code := s.plan(); code != 0 || !strings.Contains(prose(out), `has row deletion after 2 days, which was not set here, and declares a rolling window of "48h": rows stay`) {
		t.Errorf("exit %d\n%s", code, out)
	}
	// One that is shorter than the window is what holds: no plan promises more.
	sql(t, w, "ALTER TABLE main.events.source DELETE ROWS 1 DAYS AFTER at")
	w.ResetRequests()
	out, code := s.plan()
	if code != 1 || writes(w) != 0 || strings.Contains(out, "changed outside of Terraform") {
		t.Errorf("exit %d, %d writes\n%s", code, writes(w), out)
	}
	wantAll(t, prose(out), "row deletion after 1 days", `declares a rolling window of "48h"`, "Error: Auto-TTL deletes rows before the rolling window ends",
		"rolling_window is 2 d", "rows leave after 1 d", `rolling_window = "24h"`, "terraform destroy -refresh=false")
	if out := s.must("plan", "-no-color", "-input=false", "-refresh-only"); !strings.Contains(out, `"48h" -> "24h"`) {
		t.Errorf("no drift is shown\n%s", out)
	}
	s.write(with(w, retention(strings.Replace(modes()["external"], "48h", "1 day", 1))))
	s.apply()
	if out, code := s.plan(); code != 0 {
		t.Errorf("what holds is declared: exit %d\n%s", code, out)
	}
	w.ResetRequests()
	s.must("destroy", "-no-color", "-auto-approve")
	if p := properties(t, w); p["autottl.expireInDays"] != "1" || strings.Contains(strings.Join(statements(w), " "), "ROW DELETION") {
		t.Errorf("after %q the table has %v", statements(w), p)
	}
}
