//go:build cgo

package bench

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

const useProvider = `
terraform {
  required_providers {
    watertight = { source = "registry.terraform.io/watertight-data/watertight" }
  }
}
`

// loaders are jobs of a name with tasks, one block each, as files of a project hold them.
func loaders(name string, jobs, tasks int) string {
	var b strings.Builder
	b.WriteString(useProvider)
	for i := range jobs {
		fmt.Fprintf(&b, `
resource "watertight_loader_job" "job_%[1]d" {
  name         = "%[2]s_%[1]d"
  source       = "main.events.stream_%[1]d"
  target       = "main.events.messages_%[1]d"
  key          = { partition = "technical_partition", sequence = "technical_sequenceNumber" }
  event_time   = "context_updatedAt"
  settle_delay = "30m"
  schedule     = { quartz_cron_expression = "0 0/15 * * * ?", timezone_id = "UTC" }
  max_duration = "20m"
  settings = {
    tasks = [
`, i, name)
		for n := range tasks {
			needs := ""
			if n > 0 {
				needs = fmt.Sprintf(`depends_on = [{ task_key = "task_%d" }],`, n-1)
			}
			fmt.Fprintf(&b, `      { task_key = "task_%d", %s notebook_task = { notebook_path = "/Shared/load_%d" } },`+"\n", n, needs, n)
		}
		b.WriteString("    ]\n  }\n}\n")
	}
	return b.String()
}

// kept is a value of the size of a job's settings in a resource of Terraform's own.
func kept(tasks int) string {
	_, settings, _ := strings.Cut(loaders("", 1, tasks), "settings = ")
	return "resource \"terraform_data\" \"job\" {\n  input = " + settings
}

// floor is as many resources that cost nothing: what Terraform takes for itself.
func floor(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "resource \"terraform_data\" \"job_%d\" {\n  input = { name = \"load_%d\" }\n}\n", i, i)
	}
	return b.String()
}

// BenchmarkPlan plans 200 and 1,000 applied jobs of three tasks, and one of 1,000 tasks, on a workspace 20 ms away, with
// the release build of the provider and one OAuth token.
//
// Bounds on two cores: 200 jobs 3.4 s of processor time, Terraform's own counted in, and 5 s on the wall; 1,000 tasks
// 1 s above a plan of nothing, which Terraform 1.11 alone exceeds: to print a plan it compares each task with each other.
// Ratios of one run tell more than seconds of one machine: job-ratio is what a job of 1,000 takes against one of 200;
// floor-share is how much of the 200 as many terraform_data take; tasks-share is what the 1,000 tasks take against a
// terraform_data that keeps them.
func BenchmarkPlan(b *testing.B) {
	in := install(b)
	r := serveSlowly(b, 20*time.Millisecond)
	defer r.close()
	applied := func(config string) *project {
		p := newProject(b, in, r, config)
		p.apply(b)
		return p
	}
	nothing, bare, two, wide := applied(useProvider), applied(floor(200)), applied(loaders("few", 200, 3)), applied(loaders("wide", 1, 1000))
	ten, data := applied(loaders("many", 1000, 3)), applied(kept(1000))
	for b.Loop() {
		empty, least := nothing.plan(b), bare.plan(b)
		few := two.measured(b, r, "200-jobs")
		many := ten.measured(b, r, "1000-jobs")
		tasks := wide.measured(b, r, "1000-tasks")
		b.ReportMetric(many.cpu.Seconds()/few.cpu.Seconds()/5, "job-ratio")
		b.ReportMetric(least.cpu.Seconds()/few.cpu.Seconds(), "floor-share")
		b.ReportMetric((tasks.cpu - empty.cpu).Seconds(), "1000-tasks-above-empty-s")
		b.ReportMetric((tasks.cpu-empty.cpu).Seconds()/(data.plan(b).cpu-empty.cpu).Seconds(), "tasks-share")
	}
}

// measured plans and reports what that took, and the calls by route.
func (p *project) measured(b *testing.B, r *remote, name string) usage {
	b.Helper()
	r.forget(b)
	u := p.plan(b)
	b.ReportMetric(u.cpu.Seconds(), name+"-cpu-s")
	b.ReportMetric(u.wall.Seconds(), name+"-wall-s")
	calls := r.calls(b)
	for _, route := range slices.Sorted(maps.Keys(calls)) {
		b.Logf("%s: %d × %s", name, calls[route], route)
	}
	return u
}
