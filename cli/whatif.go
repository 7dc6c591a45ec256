package cli

import (
	"time"

	"github.com/urfave/cli/v2"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

// whatIf is a question about coverage put in flags. A flag that is not given leaves what the job says.
type whatIf struct {
	cron         schedule.Sequence
	quartz, zone string
	warnings     []string

	maxDuration, rollingWindow, settleDelay, pause, minimumHeadroom *time.Duration
	overlap                                                         *coverage.Overlap
	settleClock                                                     *coverage.Clock
	window                                                          *coverage.Window
	at                                                              time.Time
}

func whatIfFlags() []cli.Flag {
	flag := func(name, usage string) cli.Flag {
		return &cli.StringFlag{Name: name, Usage: usage, Category: "What if (without a JOB, all that matters must be given):"}
	}
	return append(cronFlags("What if (without a JOB, all that matters must be given):"),
		flag("max-duration", "`LENGTH` after which a run is ended"),
		flag("on-overlap", "what a start does while a run is active: skip or queue"),
		flag("rolling-window", "`LENGTH` for which a row is sure to stay in the source, by event time"),
		flag("settle-delay", "`LENGTH`: age a row must have before the loader may read it"),
		flag("settle-clock", "what that age is measured from: wall or newest_event"),
		flag("maintenance", "Quartz `EXPRESSION` of the maintenance window"),
		flag("maintenance-zone", "its time `ZONE` (UTC unless given)"),
		flag("maintenance-duration", "its `LENGTH`"),
		flag("loader-during-window", "running or paused"),
		&cli.BoolFlag{Name: "catch-up", Usage: "the loader is resumed and run when the window ends", Category: "What if (without a JOB, all that matters must be given):"},
		flag("pause", "`LENGTH` of a pause at no known time"),
		flag("minimum-headroom", "`LENGTH` below which headroom is a violation"),
		flag("at", "`INSTANT` from which 400 days are looked at (now unless given)"),
	)
}

func cronFlags(category string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "quartz", Usage: "Quartz `EXPRESSION` of the loader, such as \"0 0/15 * * * ?\"", Category: category},
		&cli.StringFlag{Name: "zone", Usage: "its time `ZONE`, such as Europe/Berlin (UTC unless given)", Category: category},
	}
}

// cron reads an expression and its zone; nil when no expression is given.
func (r *reader) cron(expression, zone string) (sequence schedule.Sequence, text, zoneID string, warnings []string) {
	r.needs(zone, expression)
	zoneID = "UTC"
	if r.c.IsSet(zone) {
		zoneID = r.c.String(zone)
	}
	location, err := schedule.Zone(zoneID)
	if err != nil {
		r.problem("--%s: %v", zone, err)
	}
	if !r.c.IsSet(expression) {
		return nil, "", zoneID, nil
	}
	text = r.c.String(expression)
	cron, err := schedule.Parse(text)
	if err != nil {
		r.problem("--%s: %v", expression, err)
	}
	if err != nil || location == nil {
		return nil, text, zoneID, nil
	}
	return cron.In(location), text, zoneID, cron.Warnings()
}

func (r *reader) whatIf() whatIf {
	w := whatIf{at: r.instant("at")}
	w.cron, w.quartz, w.zone, w.warnings = r.cron("quartz", "zone")
	w.maxDuration = r.optionalLength("max-duration", true)
	w.rollingWindow = r.optionalLength("rolling-window", true)
	w.settleDelay = r.optionalLength("settle-delay", false)
	w.pause = r.optionalLength("pause", false)
	w.minimumHeadroom = r.optionalLength("minimum-headroom", false)
	if r.c.IsSet("on-overlap") {
		overlap := coverage.Overlap(r.oneOf("on-overlap", string(coverage.Skip), string(coverage.Queue)))
		w.overlap = &overlap
	}
	if r.c.IsSet("settle-clock") {
		clock := coverage.Clock(r.oneOf("settle-clock", string(coverage.SettleWall), string(coverage.SettleNewestEvent)))
		w.settleClock = &clock
	}
	w.window = r.window()
	return w
}

func (r *reader) optionalLength(name string, positive bool) *time.Duration {
	if !r.c.IsSet(name) {
		return nil
	}
	d := r.length(name, positive)
	if d%time.Second != 0 {
		r.problem("--%s %q: must be in whole seconds", name, r.c.String(name))
	}
	return &d
}

// window reads the maintenance window; nil when none is given.
func (r *reader) window() *coverage.Window {
	for _, f := range []string{"maintenance-duration", "loader-during-window", "catch-up"} {
		r.needs(f, "maintenance")
	}
	w := &coverage.Window{CatchUp: r.c.Bool("catch-up")}
	w.Cron, w.Expression, w.ZoneID, _ = r.cron("maintenance", "maintenance-zone")
	if !r.c.IsSet("maintenance") {
		return nil
	}
	if !r.c.IsSet("maintenance-duration") {
		r.problem("--maintenance needs --maintenance-duration, such as 2h")
	}
	w.Duration = r.length("maintenance-duration", true)
	if !r.c.IsSet("loader-during-window") {
		r.problem("--maintenance needs --loader-during-window, running or paused")
	} else {
		w.LoaderPaused = r.oneOf("loader-during-window", "running", "paused") == "paused"
	}
	if w.CatchUp && !w.LoaderPaused {
		r.problem("--catch-up says nothing unless the loader is paused: --loader-during-window paused")
	}
	return w
}

// apply puts what was asked over what a job says; of no job over nothing.
func (w whatIf) apply(in coverage.Input) coverage.Input {
	if w.cron != nil {
		in.Loader.Trigger = coverage.Trigger{Cron: w.cron, Expression: w.quartz, ZoneID: w.zone, Kind: "schedule"}
	}
	for _, d := range []struct {
		from *time.Duration
		to   *time.Duration
	}{{w.maxDuration, &in.Loader.MaxDuration}, {w.rollingWindow, &in.RollingWindow}, {w.settleDelay, &in.SettleDelay},
		{w.pause, &in.Pause}, {w.minimumHeadroom, &in.MinimumHeadroom}} {
		if d.from != nil {
			*d.to = *d.from
		}
	}
	if w.overlap != nil {
		in.Loader.Overlap = *w.overlap
	}
	if w.settleClock != nil {
		in.SettleClock = *w.settleClock
	}
	if w.window != nil {
		in.Window = w.window
	}
	if !w.at.IsZero() {
		in.At = w.at
	}
	return in
}
