package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

// linked is the optimize job with its links read: the values one comparison is made of.
type linked struct {
	loader    loaderLink
	schedule  *scheduleModel
	starts    startsModel
	retention retentionLink
	window    windowModel
}

// read opens the links. The caller has made sure that they are known.
func (m optimizeJobModel) read(ctx context.Context, diags *diag.Diagnostics) linked {
	return readLinks(ctx, m.Loader, m.Retention, m.Window, diags)
}

// readLinks opens links that are known; a null window stays empty.
func readLinks(ctx context.Context, loader, retention, window types.Object, diags *diag.Diagnostics) linked {
	var l linked
	fields(ctx, loader, &l.loader, diags)
	fields(ctx, retention, &l.retention, diags)
	fields(ctx, window, &l.window, diags)
	fields(ctx, l.loader.Starts, &l.starts, diags)
	switch {
	case !l.loader.Schedule.IsNull():
		l.schedule = &scheduleModel{}
		fields(ctx, l.loader.Schedule, l.schedule, diags)
	case !l.starts.Expression.IsNull():
		l.schedule = &scheduleModel{Expression: l.starts.Expression, ZoneID: l.starts.ZoneID}
	}
	return l
}

// toInput is the question for coverage, asked of what is planned and not of what is stored.
func (m optimizeJobModel) toInput(l linked, at time.Time) (coverage.Input, error) {
	in, err := l.toInput(at)
	if err != nil {
		return in, err
	}
	in.MinimumHeadroom = duration(m.MinimumHeadroom)
	if in.Window, err = l.toWindow(m.LoaderDuringWindow); err != nil {
		return in, fmt.Errorf("window: %w", err)
	}
	return in, nil
}

// toInput is the part of the question that the two links decide.
func (l linked) toInput(at time.Time) (coverage.Input, error) {
	in := coverage.Input{
		At:                   at,
		RollingWindow:        duration(l.retention.RollingWindow),
		LogRetention:         declared(l.retention.LogRetention, contract.DefaultLogRetention),
		DeletedFileRetention: declared(l.retention.DeletedFileRetention, contract.DefaultDeletedFileRetention),
		BrokerRetention:      duration(l.loader.BrokerRetention),
		SettleDelay:          duration(l.loader.SettleDelay),
		LongestSilence:       declared(l.loader.LongestSilence, 0),
	}
	var err error
	if in.Reads, err = coverage.ParseReads(l.loader.Reads.ValueString()); err != nil {
		return in, err
	}
	if in.SettleClock, err = coverage.ParseClock(l.loader.SettleClock.ValueString()); err != nil {
		return in, err
	}
	if in.Loader, err = l.toLoader(); err != nil {
		return in, fmt.Errorf("loader: %w", err)
	}
	return in, nil
}

// declared is a length for coverage, to which zero is one that nobody declared: a declared 0s is the shortest there is.
func declared(v types.String, otherwise time.Duration) time.Duration {
	if v.IsNull() || v.IsUnknown() {
		return otherwise
	}
	return max(duration(v), time.Second)
}

func (l linked) toLoader() (coverage.Loader, error) {
	loader := coverage.Loader{
		MaxDuration:       duration(l.loader.MaxDuration),
		MaxConcurrentRuns: int(l.starts.MaxConcurrentRuns.ValueInt64()),
		Paused:            l.loader.PauseStatus.ValueString() == "PAUSED",
	}
	if n := l.starts.MaxConcurrentRuns; !n.IsNull() && n.ValueInt64() == 0 {
		loader.MaxConcurrentRuns = coverage.NoRuns
	}
	var err error
	if loader.Overlap, err = coverage.ParseOverlap(l.starts.OnOverlap.ValueString()); err != nil {
		return loader, err
	}
	t := coverage.Trigger{Kind: l.starts.Kind.ValueString(), LongestGap: duration(l.loader.LongestGap)}
	switch {
	case l.schedule != nil:
		t.Kind, t.Expression, t.ZoneID = "schedule", l.schedule.Expression.ValueString(), l.schedule.ZoneID.ValueString()
		if t.Cron, err = sequence(t.Expression, t.ZoneID); err != nil {
			return loader, err
		}
	case t.Kind == "periodic":
		t.Periodic = time.Duration(l.starts.PeriodSeconds.ValueInt64()) * time.Second
	case t.Kind == "continuous":
		t.Continuous = true
	}
	loader.Trigger = t
	return loader, nil
}

func (l linked) toWindow(loaderDuringWindow types.String) (*coverage.Window, error) {
	cron, err := sequence(l.window.Expression.ValueString(), l.window.ZoneID.ValueString())
	if err != nil {
		return nil, err
	}
	paused := loaderDuringWindow.ValueString() == contract.LoaderPaused
	return &coverage.Window{
		Cron: cron, Expression: l.window.Expression.ValueString(), ZoneID: l.window.ZoneID.ValueString(),
		Duration: duration(l.window.Duration), LoaderPaused: paused, CatchUp: paused,
	}, nil
}

func sequence(expression, zoneID string) (schedule.Sequence, error) {
	cron, err := schedule.Parse(expression)
	if err != nil {
		return nil, err
	}
	zone, err := schedule.Zone(zoneID)
	if err != nil {
		return nil, err
	}
	return cron.In(zone), nil
}
