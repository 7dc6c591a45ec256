package provider

import (
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

// shortRetention is the retention below which a VACUUM takes files away from readers and writers that are still at work;
// it is Delta's default for that reason.
const shortRetention = 168 * time.Hour

// windowHorizon is how far ahead windows are looked at, as coverage does.
const windowHorizon = 400 * day

// checkTimeTravel asks how long a row that left the source can still be read: not at all, shorter than the pause, shorter
// than from one window to the next. Where the events come from a broker, tables have no say in it.
func (m optimizeJobModel) checkTimeTravel(l linked, at time.Time, v *coverage.Verdict) checked {
	const asks = "whether time travel reaches far enough"
	out := checked{asks: asks, answer: coverage.Holds}
	wait := func() { out.answer, out.deferred = coverage.Unknown, true }
	if !isKnown(part(m.Loader, "reads"), m.LoaderDuringWindow) || m.Vacuum.IsUnknown() || m.AllowShortRetention.IsUnknown() {
		wait()
	}
	if r := coverage.Reads(l.loader.Reads.ValueString()); r == coverage.ReadsEventHubs || r == coverage.ReadsKafka {
		return out
	}
	for _, r := range l.kepts() {
		if !isKnown(part(m.Retention, r.name)) {
			wait()
			continue
		}
		f, open := m.keptFinding(l, r, at, v)
		if open {
			wait()
		}
		out.findings = append(out.findings, f...)
	}
	if len(out.findings) > 0 {
		out.answer, out.deferred = coverage.Violated, false
	}
	return out
}

// kept is one of the two retentions that time travel needs.
type kept struct {
	name      string
	declared  types.String
	otherwise time.Duration
}

func (l linked) kepts() []kept {
	return []kept{
		{"deleted_file_retention", l.retention.DeletedFileRetention, contract.DefaultDeletedFileRetention},
		{"log_retention", l.retention.LogRetention, contract.DefaultLogRetention},
	}
}

func (k kept) length() time.Duration {
	if k.declared.IsNull() {
		return k.otherwise
	}
	return duration(k.declared)
}

// String is the retention as a message names it.
func (k kept) String() string {
	if k.declared.IsNull() {
		return fmt.Sprintf("%s %s (not declared: Delta's default)", k.name, interval.Text(k.otherwise))
	}
	return fmt.Sprintf("%s %s", k.name, interval.Text(k.length()))
}

// keptFinding judges one retention. Open: it depends on a value that is not known yet.
func (m optimizeJobModel) keptFinding(l linked, k kept, at time.Time, v *coverage.Verdict) (found []finding, open bool) {
	table := l.retention.Table.ValueString()
	fault := func(summary, format string, args ...any) ([]finding, bool) {
		return []finding{{path.Root("retention"), summary, fmt.Sprintf(format, args...)}}, false
	}
	if k.length() == 0 {
		return fault("Nothing that left the source could be read again",
			"%s of %s is 0: a row that leaves the table is gone at once, a VACUUM takes files away from reads and writes that are still at work, and no lost row can be brought back.\n\nSet it to \"7d\", Delta's default, or longer.", k.name, table)
	}
	if m.pauses() {
		switch length := duration(l.window.Duration); {
		case !isKnown(m.Window):
			open = true
		case k.length() < length:
			return []finding{l.pauseFinding(k, length)}, false
		}
	}
	if m.Vacuum.IsNull() || m.Vacuum.IsUnknown() || m.AllowShortRetention.ValueBool() {
		return nil, open
	}
	if k.length() < shortRetention {
		return fault("The retention is short for a table that is vacuumed",
			"%s of %s, and the job runs VACUUM. Below %s (Delta's default) files that running reads and uncommitted writes need can be removed, and lost rows can be brought back for no longer than that.\n\nSet it to \"7d\" or longer, or accept it with allow_short_retention = true.", k, table, interval.Short(shortRetention))
	}
	return m.cycleFinding(l, k, at, v, open)
}

// pauseFinding: a pause longer than time travel leaves nothing to recover from when the loader does not come back.
func (l linked) pauseFinding(k kept, length time.Duration) finding {
	return finding{path.Root("retention"), "Time travel is shorter than the pause", fmt.Sprintf(
		"The loader is paused for %s, and an expired row of %s can be read back for %s only (%s). Make it %q or longer, or the pause shorter.",
		interval.Text(length), l.retention.Table.ValueString(), interval.Text(k.length()), k, interval.Short(length))}
}

// timeTravelFindings holds a pause against both retentions.
func (l linked) timeTravelFindings(in coverage.Input) []finding {
	length := in.Pause
	if in.Window != nil && in.Window.LoaderPaused {
		length = max(length, in.Window.Duration)
	}
	for _, k := range l.kepts() {
		if k.length() < length {
			return []finding{l.pauseFinding(k, length)}
		}
	}
	return nil
}

// cycleFinding wants what one window puts at risk to be readable until the loader has read after the next one opened: in
// the table for the rolling window, and through time travel afterwards.
func (m optimizeJobModel) cycleFinding(l linked, k kept, at time.Time, v *coverage.Verdict, open bool) ([]finding, bool) {
	if v == nil || !isKnown(part(m.Retention, "rolling_window")) {
		return nil, true
	}
	// A wait that is too long already is the greater fault, and what follows from it is none of its own.
	if v.Answer != coverage.Holds || v.LongestWait == 0 {
		return nil, open
	}
	gap, ok := windowGap(l, at)
	if !ok {
		return nil, open
	}
	window, settle := duration(l.retention.RollingWindow), duration(l.loader.SettleDelay)
	needed := gap + settle + v.LongestWait
	if window+k.length() >= needed {
		return nil, open
	}
	return []finding{{path.Root("retention"), "Time travel does not reach from one window to the next", fmt.Sprintf(
		"Up to %s lie between two windows of this job, which runs VACUUM. A row of %s that one window puts at risk must be readable until the next one has opened and the loader has read again: %s + settle delay %s + longest wait %s = %s. It is in the table for the rolling window and can be read back for %s: %s + %s = %s.\n\nSet %s to %q or longer, open the window more often, or accept it with allow_short_retention = true.",
		interval.Text(gap), l.retention.Table.ValueString(),
		interval.Text(gap), interval.Text(settle), interval.Text(v.LongestWait), interval.Text(needed),
		k, interval.Text(window), interval.Text(k.length()), interval.Text(window+k.length()), k.name, interval.Short(needed-window))}}, false
}

// windowGap is the longest time between two starts of the window. A change of the clocks is left out: the week in which
// 02:00 does not exist, or comes twice, says nothing about how often the window opens.
func windowGap(l linked, at time.Time) (time.Duration, bool) {
	starts, err := sequence(l.window.Expression.ValueString(), "UTC")
	if err != nil || at.IsZero() {
		return 0, false
	}
	gap, ok := schedule.LongestGap(starts, at, at.Add(windowHorizon))
	return gap.Length, ok
}

// windowNotes warn of a window that is judged rightly and yet is hardly what was meant.
func (m optimizeJobModel) windowNotes(l linked, at time.Time) []finding {
	if !isKnown(m.Window) || at.IsZero() {
		return nil
	}
	starts, err := sequence(l.window.Expression.ValueString(), l.window.ZoneID.ValueString())
	if err != nil {
		return nil
	}
	const enough = 400
	fires := schedule.NextN(starts, at, enough)
	if len(fires) == 0 {
		return []finding{{path.Root("window"), "The window never opens again", fmt.Sprintf("%q in %s has no start after %s: the job will never run, and nothing optimizes %s.",
			l.window.Expression.ValueString(), l.window.ZoneID.ValueString(), instant(at), m.Table.ValueString())}}
	}
	length := duration(l.window.Duration)
	for i, f := range fires[1:] {
		if between := f.Sub(fires[i]); between < length {
			return []finding{{path.Root("window"), "The window is longer than the time to the next one", fmt.Sprintf(
				"The window lasts %s, and the next one opens %s after it (at %s, then at %s). A start that falls into a run that is still going on is skipped.\n\nMake the duration %q or shorter, or open the window less often.",
				interval.Text(length), interval.Text(between), instant(fires[i]), instant(f), interval.Short(between))}}
		}
	}
	return nil
}
