package provider_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

// values are the attributes of a resource as the state has them.
func (s *shell) values(address string) map[string]any {
	s.t.Helper()
	var state struct {
		Values struct {
			Root struct {
				Resources []struct {
					Address string         `json:"address"`
					Values  map[string]any `json:"values"`
				} `json:"resources"`
			} `json:"root_module"`
		} `json:"values"`
	}
	if err := json.Unmarshal([]byte(s.must("show", "-json")), &state); err != nil {
		s.t.Fatal(err)
	}
	for _, r := range state.Values.Root.Resources {
		if r.Address == address {
			return r.Values
		}
	}
	return nil
}

// tryApply returns what an apply printed, in one line, and its exit code.
func (s *shell) tryApply(more ...string) (string, int) {
	s.t.Helper()
	out, code := s.run(append([]string{"apply", "-no-color", "-input=false", "-auto-approve"}, more...)...)
	return prose(out), code
}

// wantAll fails the test for every text that a message lacks.
func wantAll(t *testing.T, out string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(out, text) {
			t.Errorf("%q is missing in:\n%s", text, out)
		}
	}
}

func tagsOf(j map[string]any) map[string]any {
	tags, _ := j["tags"].(map[string]any)
	return tags
}

// J37 databricks/cli#3895: after the state is lost the same configuration makes no second loader; it is told how to take
// the first one over, and what that one is.
func TestLoaderJobIsNeverMadeTwice(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	s := newShell(t, with(w, loader("")))
	s.apply()
	first := theJob(t, w)
	s.must("state", "rm", loaderAddress)
	w.ResetRequests()
	out, code := s.tryApply()
	if code != 1 || writes(w) != 0 {
		t.Errorf("exit %d, %d writes", code, writes(w))
	}
	wantAll(t, out, "A job of this name exists already", fmt.Sprintf("Job %d has it", first.ID), "it loads main.events.messages, the same table",
		"to = watertight_loader_job.<name>", fmt.Sprintf(`id = "%d"`, first.ID), "allow_duplicate_name = true")
	s.must("import", "-no-color", loaderAddress, strconv.FormatInt(first.ID, 10))
	if out, code := s.plan(); code != 0 {
		t.Errorf("the plan after the import: exit %d\n%s", code, out)
	}
	if got := s.values(loaderAddress)["owner"]; got == nil || got != tagsOf(first.Settings)["watertight_owner"] {
		t.Errorf("the import gave back the owner %v", got)
	}
}

// J37: jobs of one name that are something else are told apart in the message; who wants both says so.
func TestLoaderJobOfATakenName(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tags map[string]any
		want string
	}{
		"a job of somebody": {nil, "it has no tags of Watertight"},
		"another loader":    {map[string]any{"watertight_source": "a.b.s", "watertight_target": "a.b.t"}, "it loads a.b.t, and this one loads main.events.messages"},
		"an optimize job":   {map[string]any{"watertight_table": "a.b.t"}, "it optimizes a.b.t, and this one loads main.events.messages"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t, local.Options{Empty: true})
			other, err := outside(t, w).CreateJob(t.Context(), map[string]any{"name": "load_messages", "tags": c.tags, "tasks": []any{}})
			if err != nil {
				t.Fatal(err)
			}
			s := newShell(t, with(w, loader("")))
			out, code := s.tryApply()
			if code != 1 || w.Count("POST", "jobs/create") != 1 {
				t.Errorf("exit %d, %d creates", code, w.Count("POST", "jobs/create"))
			}
			wantAll(t, out, c.want)
			s.write(with(w, loader("  allow_duplicate_name = true")))
			s.apply()
			if id := s.values(loaderAddress)["id"]; id == strconv.FormatInt(other, 10) || w.Count("POST", "jobs/create") != 2 {
				t.Errorf("made %v beside %d with %d creates", id, other, w.Count("POST", "jobs/create"))
			}
			if out, code := s.plan(); code != 0 {
				t.Errorf("the second plan: exit %d\n%s", code, out)
			}
		})
	}
}

// J38 databrickslabs/dbx#136: the name is looked for by the server and on all pages; of 300 jobs whose names differ in
// case alone, the one that is meant comes last.
func TestLoaderJobIsFoundOnTheLastPage(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	c := outside(t, w)
	meant, err := c.CreateJob(t.Context(), map[string]any{"name": "load_messages"})
	if err != nil {
		t.Fatal(err)
	}
	for range 300 {
		if _, err := c.CreateJob(t.Context(), map[string]any{"name": "Load_Messages"}); err != nil {
			t.Fatal(err)
		}
	}
	s := newShell(t, with(w, loader("")))
	w.ResetRequests()
	out, code := s.tryApply()
	if code != 1 || writes(w) != 0 {
		t.Errorf("exit %d, %d writes", code, writes(w))
	}
	wantAll(t, out, fmt.Sprintf("Job %d has it", meant))
	for _, q := range w.Requests() {
		if strings.HasSuffix(q.Route, "jobs/list") && !strings.Contains(q.Query, "name=load_messages") {
			t.Errorf("a list of all jobs: %s", q.Query)
		}
	}
}

// J37: two resources of one configuration and one name are no way around the look-up.
func TestLoaderJobTwiceInOneConfiguration(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true, Latency: 50 * time.Millisecond})
	s := newShell(t, with(w, loader("")+strings.Replace(loader(""), `"messages" {`, `"again" {`, 1)))
	out, code := s.tryApply()
	if code != 1 || w.Count("POST", "jobs/create") != 1 {
		t.Errorf("exit %d, %d creates", code, w.Count("POST", "jobs/create"))
	}
	wantAll(t, out, "A job of this name exists already")
}

// Renaming a job to the name of another is the same mistake, made later.
func TestLoaderJobIsNotRenamedToATakenName(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	s := newShell(t, with(w, loader("")))
	s.apply()
	other, err := outside(t, w).CreateJob(t.Context(), map[string]any{"name": "taken"})
	if err != nil {
		t.Fatal(err)
	}
	renamed := func(lines string) string {
		return with(w, strings.Replace(loader(lines), `"load_messages"`, `"taken"`, 1))
	}
	s.write(renamed(""))
	out, code := s.tryApply()
	if code != 1 || w.Count("POST", "jobs/reset") != 0 {
		t.Errorf("exit %d, %d resets", code, w.Count("POST", "jobs/reset"))
	}
	wantAll(t, out, fmt.Sprintf("Job %d is named", other))
	s.write(renamed("  allow_duplicate_name = true"))
	s.apply()
	if n := w.Count("POST", "jobs/reset"); n != 1 {
		t.Errorf("%d resets", n)
	}
}

// R07 databricks/databricks-sdk-go#733: the answer of jobs/create is lost after the job was made. There is one job, and
// it is in the state.
func TestLoaderJobOfALostAnswer(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]local.Fault{
		"504 after acting":   {ActThenStatus: true, Status: 504},
		"reset after acting": {ActThenReset: true},
		"half an answer":     {CutBody: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t, local.Options{Empty: true})
			s := newShell(t, with(w, loader("")))
			f.Route, f.Call = "jobs/create", 1
			w.AddFault(f)
			s.apply()
			j := theJob(t, w)
			if got := s.values(loaderAddress); got["id"] != strconv.FormatInt(j.ID, 10) || got["owner"] != tagsOf(j.Settings)["watertight_owner"] {
				t.Errorf("the state has %v of %v, the job is %d", got["id"], got["owner"], j.ID)
			}
			if n := w.Count("POST", "jobs/create"); n != 1 {
				t.Errorf("%d requests to create", n)
			}
			if out, code := s.plan(); code != 0 {
				t.Errorf("the second plan: exit %d\n%s", code, out)
			}
		})
	}
}

// R07: a job that does not show up is not made a second time in the same apply, and the next apply makes it.
func TestLoaderJobThatMayHaveBeenMade(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	s := newShell(t, with(w, loader("")))
	w.AddFault(local.Fault{Route: "jobs/create", Call: 1, Status: 504})
	out, code := s.tryApply()
	if code != 1 || w.Count("POST", "jobs/create") != 1 {
		t.Errorf("exit %d, %d requests to create", code, w.Count("POST", "jobs/create"))
	}
	wantAll(t, out, "was created is not known", "watertight_owner", "Apply again")
	s.apply()
	theJob(t, w)
}

// J46 databricks/terraform-provider-databricks#1591: a limit that runs out is named, with the option that raises it; a
// longer one passes.
func TestLoaderJobTimeouts(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	limits := func(text string) string {
		return with(w, loader(`  timeouts = { create = "`+text+`", read = "`+text+`", update = "`+text+`", delete = "`+text+`" }`))
	}
	s := newShell(t, limits("500ms"))
	slow := func(route string) {
		w.ClearFaults()
		w.AddFault(local.Fault{Route: route, Delay: 2 * time.Second})
	}
	slow("jobs/list")
	out, code := s.tryApply()
	if code != 1 || w.Count("POST", "jobs/create") != 0 {
		t.Errorf("create: exit %d", code)
	}
	wantAll(t, out, "timeouts.create of 500 ms ran out", "Raise timeouts.create")
	s.write(limits("1m"))
	s.apply()
	s.write(limits("500ms"))
	w.ClearFaults()
	w.ResetRequests()
	s.apply()
	if n := writes(w); n != 0 {
		t.Errorf("a change of timeouts alone wrote %d times", n)
	}
	slow("jobs/get")
	if out, code := s.plan(); code != 1 || !strings.Contains(prose(out), "timeouts.read of 500 ms ran out") {
		t.Errorf("read: exit %d\n%s", code, out)
	}
	slow("jobs/reset")
	s.write(strings.Replace(limits("500ms"), `"20m"`, `"25m"`, 1))
	out, code = s.tryApply()
	if code != 1 {
		t.Errorf("update: exit %d", code)
	}
	wantAll(t, out, "timeouts.update of 500 ms ran out")
	slow("jobs/delete")
	destroyed, code := s.run("destroy", "-no-color", "-auto-approve")
	if code != 1 {
		t.Errorf("delete: exit %d", code)
	}
	wantAll(t, prose(destroyed), "timeouts.delete of 500 ms ran out")
}

// J44 databricks/terraform-provider-databricks#2898: calls of several jobs are under way at the same time, in creation
// as in a refresh: nothing in the provider makes them wait for each other.
func TestLoaderJobsGoInParallel(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true, Latency: 200 * time.Millisecond})
	s := newShell(t, with(w, strings.NewReplacer(`"messages" {`, `"messages" {
  count = 20`, `"load_messages"`, `"load_${count.index}"`).Replace(loader(""))))
	s.must("apply", "-no-color", "-auto-approve", "-parallelism=10")
	if n := w.MostAtOnce(); n < 5 {
		t.Errorf("%d creations at once of 10", n)
	}
	w.ResetRequests()
	s.must("plan", "-no-color", "-parallelism=10")
	if n := w.MostAtOnce(); n < 5 {
		t.Errorf("%d refreshes at once of 10", n)
	}
}
