package cli

import (
	"bufio"

	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/report"
)

// print writes a result to stdout, in the format that was asked for.
func (o output) print(env *Env, d report.Document) error {
	w := bufio.NewWriter(env.Stdout)
	write := d.Text
	if o.json {
		write = d.JSON
	}
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

func planDocument(p pipeline.VerificationPlan) report.Document {
	d := report.Plan{Source: p.Source, Target: p.Target, ReadAt: p.ReadAt, Cutoff: p.Cutoff, Reasons: p.Reasons}
	for _, s := range p.Statements {
		d.Statements = append(d.Statements, report.Statement(s))
	}
	return d
}

func runDocument(r pipeline.RunResult) report.Document {
	d := report.Run{Run: r.Run, ExitCode: r.ExitCode, Existing: r.Existing, Verification: r.Verification}
	if r.VerifyErr != nil {
		d.Problem = r.VerifyErr.Error()
	}
	return d
}

func checkDocument(r pipeline.CheckResult) report.Document {
	return report.Check{Verdict: r.Verdict, SettleDelay: r.Input.SettleDelay, Deadline: r.Deadline}
}

func pauseDocument(r pipeline.PauseResult) report.Document {
	return report.Pause{JobID: r.JobID, Name: r.Name, Paused: r.Paused, Changed: r.Changed, Deadline: r.Deadline}
}

func statusDocument(jobs []pipeline.JobStatus) report.Document {
	var d report.Status
	for _, j := range jobs {
		d.At = j.At
		l := report.Loader{JobID: j.JobID, Name: j.Name, Source: j.Source, Target: j.Target, Trigger: j.Trigger, Expression: j.Expression,
			ZoneID: j.ZoneID, NextRun: j.NextRun, Paused: j.Paused, Coverage: j.Coverage, Deadline: j.Deadline, Left: j.Left,
			LastRun: j.LastRun, LastSuccess: j.LastSuccess, Active: j.Active}
		if j.CoverageErr != nil {
			l.Problem = j.CoverageErr.Error()
		}
		d.Loaders = append(d.Loaders, l)
	}
	return d
}
