package provider_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

// wish is a random configuration, with what the table must have under it.
type wish struct {
	config                values
	window, deleted, log  time.Duration // zero: not declared
	mode, column, running string
}

// anyWish spells durations in one of the ways people do.
func (p *protocol) anyWish(rng *rand.Rand) wish {
	spell := func(d time.Duration) string {
		n := int64(d / (24 * time.Hour))
		return []string{fmt.Sprintf("%dd", n), fmt.Sprintf("%d days", n), fmt.Sprintf("interval %d hours", 24*n), fmt.Sprintf("%dh", 24*n)}[rng.IntN(4)]
	}
	days := func(most int) time.Duration { return time.Duration(1+rng.IntN(most)) * 24 * time.Hour }
	w := wish{mode: []string{"external", "auto_ttl", "purge_job"}[rng.IntN(3)], window: days(4), column: []string{"at", "day"}[rng.IntN(2)]}
	w.config = values{"table": word("main.events.source"), "rolling_window": word(spell(w.window)), "expire_by": word(w.mode), "event_time": word(w.column)}
	if rng.IntN(2) == 0 {
		w.deleted = days(40)
		w.config["deleted_file_retention"] = word(spell(w.deleted))
	}
	if rng.IntN(2) == 0 {
		w.log = days(60)
		w.config["log_retention"] = word(spell(w.log))
	}
	kind := p.resource(retentionType).(tftypes.Object).AttributeTypes
	if w.mode == "purge_job" {
		w.running = fmt.Sprintf("0 %d * * * ?", rng.IntN(3))
		w.config["purge"] = objectOf(kind["purge"], values{"quartz_cron_expression": word(w.running), "timezone_id": word("UTC")})
		link := kind["loaded_by"].(tftypes.Object)
		w.config["loaded_by"] = objectOf(link, values{"source": word("main.events.source"), "target": word("main.events.target"),
			"key": objectOf(link.AttributeTypes["key"], values{"partition": word("p"), "sequence": word("seq")})})
	}
	return w
}

// objectOf is an object with null where nothing is given.
func objectOf(kind tftypes.Type, given values) tftypes.Value {
	all := values{}
	for name, t := range kind.(tftypes.Object).AttributeTypes {
		all[name] = tftypes.NewValue(t, nil)
	}
	for name, v := range given {
		all[name] = v
	}
	return tftypes.NewValue(kind, all)
}

// plan is what Terraform asks for: computed values of the state, and the configuration's.
func (p *protocol) plan(config values, prior *tfprotov6.DynamicValue) *tfprotov6.PlanResourceChangeResponse {
	p.t.Helper()
	s := p.schemas.ResourceSchemas[retentionType]
	kind := s.ValueType().(tftypes.Object)
	before, err := prior.Unmarshal(kind)
	if err != nil {
		p.t.Fatal(err)
	}
	proposed := values{}
	if !before.IsNull() {
		proposed = p.state(prior)
	}
	for _, a := range s.Block.Attributes {
		v, written := config[a.Name]
		switch _, has := proposed[a.Name]; {
		case written:
			proposed[a.Name] = v
		case !a.Computed, !has && before.IsNull() && !a.Computed:
			proposed[a.Name] = tftypes.NewValue(kind.AttributeTypes[a.Name], nil)
		case !has:
			proposed[a.Name] = tftypes.NewValue(kind.AttributeTypes[a.Name], tftypes.UnknownValue)
		}
	}
	d, err := tfprotov6.NewDynamicValue(kind, tftypes.NewValue(kind, proposed))
	if err != nil {
		p.t.Fatal(err)
	}
	r, err := p.server.PlanResourceChange(p.t.Context(), &tfprotov6.PlanResourceChangeRequest{TypeName: retentionType, PriorState: prior, ProposedNewState: &d, Config: p.object(s, config)})
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

// differs lists the attributes in which two states differ; those that are unknown in the first are left out.
func differs(a, b values) []string {
	var out []string
	for name, v := range a {
		if v.IsFullyKnown() && !v.Equal(b[name]) {
			out = append(out, fmt.Sprintf("%s: %s, %s", name, v, b[name]))
		}
	}
	return out
}

// A walk through configurations, with somebody else at the same table: a plan that Delta would refuse is refused, and no
// other; what was planned is what comes to be; then the table has what is declared, nothing foreign is lost, and the next
// plan is empty.
func TestRetentionRandomWalk(t *testing.T) {
	t.Parallel()
	w := openPair(t, local.Behaviour{})
	sql(t, w, "ALTER TABLE main.events.source ADD COLUMNS (day DATE)")
	sql(t, w, "ALTER TABLE main.events.source SET TBLPROPERTIES ('team' = 'data')")
	p := speak(t, w, nil)
	rng := rand.New(rand.NewPCG(4, 2026))
	kind := p.resource(retentionType)
	null, err := tfprotov6.NewDynamicValue(kind, tftypes.NewValue(kind, nil))
	if err != nil {
		t.Fatal(err)
	}
	state, private := &null, []byte(nil)
	refused, applied := 0, 0
	var had wish
	for step := range 150 {
		others(t, w, rng, had.mode)
		if applied > 0 {
			r := p.read(retentionType, state, nil)
			p.must(nil, r.Diagnostics)
			state = r.NewState
		}
		next := p.anyWish(rng)
		live := properties(t, w)
		deleted, log := next.willHold(had, live)
		plan := p.plan(next.config, state)
		if said := strings.Join(texts(plan.Diagnostics), "\n"); deleted > log != strings.Contains(said, "The log would forget files") {
			t.Fatalf("step %d: %s and %s: %q", step, deleted, log, said)
		}
		if deleted > log {
			refused++
			continue
		}
		p.must(nil, plan.Diagnostics)
		done, err := p.server.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{TypeName: retentionType, PriorState: state, PlannedState: plan.PlannedState, PlannedPrivate: private, Config: p.object(p.schemas.ResourceSchemas[retentionType], next.config)})
		p.must(err, done.Diagnostics)
		if d := differs(p.state(plan.PlannedState), p.state(done.NewState)); len(d) > 0 {
			t.Fatalf("step %d: planned and applied differ: %q", step, d)
		}
		state, had = done.NewState, next
		applied++
		next.check(t, w, step)
		r := p.read(retentionType, state, nil)
		p.must(nil, r.Diagnostics)
		state = r.NewState
		again := p.plan(next.config, state)
		p.must(nil, again.Diagnostics)
		if d := differs(p.state(state), p.state(again.PlannedState)); len(d) > 0 {
			t.Fatalf("step %d: the second plan is not empty: %q", step, d)
		}
	}
	if refused < 15 || applied < 80 {
		t.Errorf("%d refused, %d applied", refused, applied)
	}
}

// others change what is declared, and what is not.
func others(t *testing.T, w *local.Workspace, rng *rand.Rand, mode string) {
	t.Helper()
	alter := func(text string) { sql(t, w, "ALTER TABLE main.events.source "+text) }
	switch rng.IntN(8) {
	case 0:
		alter("SET TBLPROPERTIES ('delta.logRetentionDuration' = 'interval 50 days')")
	case 1:
		alter("UNSET TBLPROPERTIES IF EXISTS ('delta.logRetentionDuration', 'watertight.rolling_window', 'watertight.owner')")
	case 2:
		if mode == "auto_ttl" {
			alter("DROP ROW DELETION")
		}
	case 3:
		if mode == "purge_job" {
			j := jobNamed(t, w, "purge main.events.source")
			j.Settings["schedule"].(map[string]any)["pause_status"] = "PAUSED"
			if err := outside(t, w).ResetJob(t.Context(), j.ID, j.Settings); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// willHold are the two retentions after an apply: declared, else left on the table by others, else Delta's defaults.
func (w wish) willHold(had wish, live map[string]string) (deleted, log time.Duration) {
	one := func(declared, was time.Duration, key string, otherwise time.Duration) time.Duration {
		if declared > 0 {
			return declared
		}
		var n int64
		var unit string
		if _, err := fmt.Sscanf(live[key], "interval %d %s", &n, &unit); err != nil || was > 0 {
			return otherwise
		}
		return time.Duration(n) * map[string]time.Duration{"hours": time.Hour, "days": 24 * time.Hour}[unit]
	}
	return one(w.deleted, had.deleted, "delta.deletedFileRetentionDuration", 7*24*time.Hour), one(w.log, had.log, "delta.logRetentionDuration", 30*24*time.Hour)
}

// check looks at the table and at the job.
func (w wish) check(t *testing.T, ws *local.Workspace, step int) {
	t.Helper()
	live := properties(t, ws)
	hours := func(d time.Duration) string { return fmt.Sprintf("interval %d hours", d/time.Hour) }
	want := map[string]string{"team": "data", "watertight.expire_by": w.mode, "watertight.event_time": w.column, "watertight.rolling_window": fmt.Sprintf("%dh", w.window/time.Hour)}
	if w.deleted > 0 {
		want["delta.deletedFileRetentionDuration"] = hours(w.deleted)
	}
	ttl := ""
	if w.mode == "auto_ttl" {
		ttl = fmt.Sprint(int(w.window / (24 * time.Hour)))
	}
	want["autottl.expireInDays"] = ttl
	for key, text := range want {
		if live[key] != text && !(key == "delta.deletedFileRetentionDuration" && strings.Contains(live[key], "days")) {
			t.Fatalf("step %d: %s is %q, want %q", step, key, live[key], text)
		}
	}
	if live["watertight.owner"] == "" {
		t.Fatalf("step %d: the table has no owner", step)
	}
	n := 0
	for j, err := range outside(t, ws).Jobs(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		s, _ := j.Settings["schedule"].(map[string]any)
		if s["quartz_cron_expression"] != w.running || s["pause_status"] != "UNPAUSED" {
			t.Fatalf("step %d: the job has %v, want %s", step, s, w.running)
		}
		n++
	}
	if (n == 1) != (w.mode == "purge_job") || n > 1 {
		t.Fatalf("step %d: %d jobs with %s", step, n, w.mode)
	}
}
