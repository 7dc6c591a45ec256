package provider_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec/anyjob"
	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

var randomJobs = flag.Int("random-jobs", manyJobs, "jobs that TestAnyJob makes")

// TestAnyJob applies random jobs, in random spellings, to a workspace that does to them whatever Databricks does to
// jobs: adds defaults, shuffles, drops what is input-only, gives pages of three. The second plan is empty; so is the
// plan of an import; one change outside is in the plan at exactly its place; and an apply writes what was written first.
func TestAnyJob(t *testing.T) {
	t.Parallel()
	const batch = 100
	for first := 0; first < *randomJobs; first += batch {
		t.Run(fmt.Sprint("from seed ", first), func(t *testing.T) {
			t.Parallel()
			w := open(t, local.Options{Empty: true, Behaviour: local.Behaviour{Seed: uint64(first), PageSize: 3}})
			b := &jobBatch{t: t, w: w}
			for i := range min(batch, *randomJobs-first) {
				b.jobs = append(b.jobs, newRandomJob(w, uint64(first+i)))
			}
			b.run()
		})
	}
}

type randomJob struct {
	*anyjob.Maker
	seed    uint64
	name    string
	written jobspec.Settings
	// owned are fields that settings repeat though an attribute has them.
	owned jobspec.Settings
	lines string
	// isSensitive: some value of the configuration is.
	isSensitive bool
	// body is what was sent first, change what somebody made of the job.
	body   map[string]any
	change anyjob.Change
}

func newRandomJob(w *local.Workspace, seed uint64) *randomJob {
	j := &randomJob{Maker: anyjob.New(seed, w.WarehouseID()), seed: seed, name: fmt.Sprintf("job %d", seed), owned: jobspec.Settings{}}
	j.MayOmitIt, j.Sparse = true, 2
	trigger, continuous := "", false
	switch seed % 6 {
	case 0, 1:
		j.lines = `schedule = { quartz_cron_expression = "0 0/15 * * * ?", timezone_id = "UTC" }`
		j.owned["schedule"] = map[string]any{"timezone_id": "UTC", "quartz_cron_expression": "0 0/15 * * * ?", "pause_status": "UNPAUSED"}
	case 2:
		j.lines = `periodic = { interval = 2, unit = "HOURS" }`
		j.owned["trigger"] = map[string]any{"periodic": map[string]any{"interval": json.Number("2"), "unit": "HOURS"}}
	case 3:
		j.lines, continuous = `continuous = { task_retry_mode = "ON_FAILURE" }`, true
		j.owned["continuous"] = map[string]any{"task_retry_mode": "ON_FAILURE"}
	case 4:
		trigger = "trigger"
	case 5:
		trigger = "triggers"
	}
	if seed%7 > 0 {
		j.owned = jobspec.Settings{}
	} else {
		j.owned["name"], j.owned["timeout_seconds"] = j.name, json.Number("1200")
	}
	j.written = j.Job(trigger, continuous)
	return j
}

func (j *randomJob) address() string { return fmt.Sprintf("watertight_loader_job.j%d", j.seed) }

// config is the resource, and the file beside it if its settings are in one.
func (j *randomJob) config(dir string) (string, error) {
	settings := jobspec.With(j.written, jobspec.Attributes{Settings: j.owned})
	var text string
	spell := anyjob.Spelling{Maker: j.Maker}
	switch j.seed % 3 {
	case 0:
		text = spell.HCL(jobspec.Settled(), settings)
		j.isSensitive = strings.Contains(text, "sensitive(")
	case 1:
		name := fmt.Sprintf("job_%d.json", j.seed)
		content, err := json.Marshal(settings)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), content, 0o600)
		}
		if err != nil {
			return "", err
		}
		text = fmt.Sprintf(`jsondecode(file("${path.module}/%s"))`, name)
	case 2:
		name := fmt.Sprintf("job_%d.yml", j.seed)
		bundle := map[string]any{"resources": map[string]any{"jobs": map[string]any{"load": settings}}}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(anyjob.YAML(bundle)), 0o600); err != nil {
			return "", err
		}
		text = fmt.Sprintf(`yamldecode(file("${path.module}/%s")).resources.jobs.load`, name)
	}
	return fmt.Sprintf(`
resource "watertight_loader_job" "j%d" {
  name         = %q
  source       = "main.events.stream_messages"
  target       = "main.events.messages"
  key          = { partition = "p", sequence = "s" }
  event_time   = "at"
  max_duration = "20m"
  longest_gap  = "2h"
  %s
  settings     = %s
}
`, j.seed, j.name, j.lines, text), nil
}

type jobBatch struct {
	t    *testing.T
	w    *local.Workspace
	jobs []*randomJob
	ids  map[string]int64
}

func (b *jobBatch) run() {
	b.t.Helper()
	s := newShell(b.t, with(b.w, ""))
	config := b.config(s.dir)
	s.write(config)
	s.apply()
	b.sent()
	if out, code := s.plan(); code != 0 {
		b.t.Fatalf("second plan: exit %d\n%s", code, brief(out))
	}
	b.imported(config, s.dir)
	b.changeOutside()
	b.w.ResetRequests()
	b.changes(s, func(j *randomJob, change resourceChange) {
		if got := differing(jobspec.Settled(), "", change.Change.Before["settings"], change.Change.After["settings"]); !slices.Equal(got, []string{j.change.Path}) {
			b.t.Errorf("seed %d: %s was changed (%s), and the plan changes %q", j.seed, j.change.Path, j.change.What, got)
		}
		for _, name := range []string{"settings", "starts"} { // starts is read from settings
			delete(change.Change.Before, name)
			delete(change.Change.After, name)
		}
		if diff := cmp.Diff(change.Change.Before, change.Change.After); diff != "" {
			b.t.Errorf("seed %d: %s was changed, and the plan changes also\n%s", j.seed, j.change.Path, diff)
		}
	})
	s.must("apply", "-no-color", "-input=false", "plan.bin")
	b.repaired()
}

func brief(out string) string { return out[:min(len(out), 6000)] }

func (b *jobBatch) config(dir string) string {
	var all strings.Builder
	for _, j := range b.jobs {
		text, err := j.config(dir)
		if err != nil {
			b.t.Fatal(err)
		}
		all.WriteString(text)
	}
	return with(b.w, all.String())
}

// sent compares each jobs/create with what was written plus what attributes own.
func (b *jobBatch) sent() {
	b.t.Helper()
	bodies := map[string]map[string]any{}
	for _, q := range b.w.Requests() {
		if strings.HasSuffix(q.Route, "jobs/create") {
			body := decodeSettings(b.t, q.Body)
			bodies[body["name"].(string)] = body
		}
	}
	for _, j := range b.jobs {
		j.body = bodies[j.name]
		if diff := cmp.Diff(jobspec.Sorted(j.expected(b.w, j.written)), jobspec.Sorted(bodyWithoutOwner(j.body))); diff != "" {
			b.t.Fatalf("seed %d: sent (-want +got)\n%s", j.seed, diff)
		}
	}
}

// expected is the body for settings: they and what the attributes own.
func (j *randomJob) expected(w *local.Workspace, settings jobspec.Settings) map[string]any {
	out := filled(settings, w.WarehouseID()).(map[string]any)
	out["name"], out["timeout_seconds"] = j.name, json.Number("1200")
	if _, ok := out["queue"]; !ok {
		out["queue"] = map[string]any{"enabled": false}
	}
	tags := map[string]any{"watertight_source": "main.events.stream_messages", "watertight_target": "main.events.messages", "watertight_key": "p.s", "watertight_event_time": "at", "watertight_longest_gap": "2h"}
	for k, v := range jobTags(settings) {
		tags[k] = v
	}
	for k, v := range jobTags(j.body) {
		if strings.HasPrefix(k, "watertight_settle") || strings.HasPrefix(k, "watertight_reads") || k == "watertight_strict" {
			tags[k] = v
		}
	}
	out["tags"] = tags
	switch j.seed % 6 {
	case 0, 1:
		out["schedule"] = map[string]any{"quartz_cron_expression": "0 0/15 * * * ?", "timezone_id": "UTC", "pause_status": "UNPAUSED"}
	case 2:
		out["trigger"] = map[string]any{"periodic": map[string]any{"interval": json.Number("2"), "unit": "HOURS"}, "pause_status": "UNPAUSED"}
	case 3:
		out["continuous"] = map[string]any{"task_retry_mode": "ON_FAILURE", "pause_status": "UNPAUSED"}
	case 4:
		out["trigger"].(map[string]any)["pause_status"] = "UNPAUSED"
	case 5:
		for _, t := range out["triggers"].([]any) {
			t.(map[string]any)["pause_status"] = "UNPAUSED"
		}
	}
	return out
}

func jobTags(s map[string]any) map[string]any {
	tags, _ := s["tags"].(map[string]any)
	return tags
}

func bodyWithoutOwner(body map[string]any) map[string]any {
	out := filled(body, "").(map[string]any)
	delete(jobTags(out), "watertight_owner")
	return out
}

// filled copies a value; SQL tasks without a warehouse get one.
func filled(v any, warehouse string) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v)+1)
		for name, e := range v {
			out[name] = filled(e, warehouse)
			if sql, ok := out[name].(map[string]any); ok && name == "sql_task" && sql["warehouse_id"] == nil && warehouse != "" {
				sql["warehouse_id"] = warehouse
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = filled(e, warehouse)
		}
		return out
	}
	return v
}

func decodeSettings(t *testing.T, text string) map[string]any {
	t.Helper()
	s, err := jobspec.Decode(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// imported plans the same configuration in a state of its own, with import blocks: nothing is to be changed.
func (b *jobBatch) imported(config, dir string) {
	b.t.Helper()
	b.ids = map[string]int64{}
	for job, err := range outside(b.t, b.w).Jobs(b.t.Context()) {
		if err != nil {
			b.t.Fatal(err)
		}
		b.ids[jobspec.Name(job.Settings)] = job.ID
	}
	s := newShell(b.t, with(b.w, ""))
	if err := os.CopyFS(filepath.Join(s.dir, "copy"), os.DirFS(dir)); err != nil {
		b.t.Fatal(err)
	}
	config = strings.ReplaceAll(config, "${path.module}/", "${path.module}/copy/")
	if err := os.Remove(filepath.Join(s.dir, "copy", "main.tf")); err != nil {
		b.t.Fatal(err)
	}
	for _, j := range b.jobs {
		config += fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", j.address(), []string{fmt.Sprint(b.ids[j.name]), j.name}[j.seed%2])
	}
	s.write(config)
	b.w.ResetRequests()
	b.changes(s, func(j *randomJob, change resourceChange) {
		// A value that is sensitive from now on is a change to Terraform itself, and nothing is written for it.
		if !slices.Equal(change.Change.Actions, []string{"no-op"}) && (!j.isSensitive || !cmp.Equal(change.Change.Before, change.Change.After)) {
			diff := cmp.Diff(change.Change.Before, change.Change.After)
			b.t.Errorf("seed %d: the plan of the import is %v: %q\n%s", j.seed, change.Change.Actions, differing(jobspec.Settled(), "", change.Change.Before["settings"], change.Change.After["settings"]), brief(diff))
		}
	})
}

type resourceChange struct {
	Address string
	Change  struct {
		Actions       []string
		Before, After map[string]any
	}
}

// changes plans, and looks at what is planned for each job.
func (b *jobBatch) changes(s *shell, look func(*randomJob, resourceChange)) {
	b.t.Helper()
	s.must("plan", "-no-color", "-input=false", "-out=plan.bin")
	var plan struct {
		ResourceChanges []resourceChange `json:"resource_changes"`
	}
	d := json.NewDecoder(strings.NewReader(s.must("show", "-json", "plan.bin")))
	d.UseNumber()
	if err := d.Decode(&plan); err != nil {
		b.t.Fatal(err)
	}
	found := map[string]resourceChange{}
	for _, c := range plan.ResourceChanges {
		found[c.Address] = c
	}
	for _, j := range b.jobs {
		look(j, found[j.address()])
	}
}

// changeOutside changes each job at one place, as somebody else would.
func (b *jobBatch) changeOutside() {
	b.t.Helper()
	client := outside(b.t, b.w)
	for _, j := range b.jobs {
		var ok bool
		if j.change, ok = j.Change(j.written); !ok {
			b.t.Fatalf("seed %d: nothing to change", j.seed)
		}
		body := j.expected(b.w, j.change.Settings)
		jobTags(body)["watertight_owner"] = jobTags(j.body)["watertight_owner"]
		if err := client.ResetJob(b.t.Context(), b.ids[j.name], body); err != nil {
			b.t.Fatalf("seed %d: %s (%s): %v", j.seed, j.change.Path, j.change.What, err)
		}
	}
}

// repaired wants each job written once, as it was.
func (b *jobBatch) repaired() {
	b.t.Helper()
	bodies := map[int64][]map[string]any{}
	for _, q := range b.w.Requests() {
		if strings.HasSuffix(q.Route, "jobs/reset") {
			request := decodeSettings(b.t, q.Body)
			id, err := request["job_id"].(json.Number).Int64()
			if err != nil {
				b.t.Fatal(err)
			}
			bodies[id] = append(bodies[id], request["new_settings"].(map[string]any))
		}
	}
	for _, j := range b.jobs {
		if got := bodies[b.ids[j.name]]; len(got) != 1 || !reflect.DeepEqual(got[0], j.body) {
			b.t.Errorf("seed %d: written %d times, want once as before\n%s", j.seed, len(got), brief(cmp.Diff([]map[string]any{j.body}, got)))
		}
	}
}

// differing lists the places at which two values differ, elements of keyed lists by their key.
func differing(f *jobspec.Field, path string, before, after any) []string {
	a, isObject := before.(map[string]any)
	b, isAlsoObject := after.(map[string]any)
	if isObject && isAlsoObject {
		var out []string
		names := map[string]bool{}
		for name := range a {
			names[name] = true
		}
		for name := range b {
			names[name] = true
		}
		for name := range names {
			below := f.Element
			if f.Kind == jobspec.Object {
				below = f.Fields[name]
			}
			out = append(out, differing(below, strings.TrimPrefix(path+"."+name, "."), a[name], b[name])...)
		}
		slices.Sort(out)
		return out
	}
	l, isList := before.([]any)
	k, isAlsoList := after.([]any)
	if !isList || !isAlsoList || f.Set {
		if reflect.DeepEqual(before, after) {
			return nil
		}
		return []string{path}
	}
	if len(l) != len(k) {
		return []string{path + " has another length"}
	}
	var out []string
	for i := range l {
		name := fmt.Sprint(i)
		if e, ok := l[i].(map[string]any); ok && f.Key != "" {
			name = fmt.Sprint(e[f.Key])
		}
		out = append(out, differing(f.Element, path+"["+name+"]", l[i], k[i])...)
	}
	return out
}
