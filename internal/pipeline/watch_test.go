package pipeline_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
)

// virtual is time that passes in the workspace when somebody sleeps.
type virtual struct{ b *bed }

func (v virtual) Now() time.Time { return v.b.Now() }

func (v virtual) Sleep(ctx context.Context, d time.Duration) error {
	v.b.advance(d)
	return ctx.Err()
}

// A paused loader's source is seen all the same: each version once, with the countdown.
func TestWatch(t *testing.T) {
	t.Parallel()
	b, _, _ := remembering(t)
	b.exec("ALTER TABLE main.events.src SET TBLPROPERTIES ('watertight.rolling_window' = '2 days', 'watertight.event_time' = 'u')")
	var looks []pipeline.Look
	err := pipeline.Watch(t.Context(), b.client, virtual{b}, pipeline.WatchRequest{Job: "load", Interval: 15 * time.Minute, Times: 4}, func(l pipeline.Look) {
		looks = append(looks, l)
		if len(looks) == 2 {
			b.produce(1000, 1010)
		}
		if len(looks) == 3 {
			b.AddFault(local.Fault{Route: "/api/2.2/jobs/get", Status: 400, Body: `{"error_code":"INVALID_STATE","message":"later"}`, Times: 2})
		}
	})
	if err == nil || len(looks) != 4 {
		t.Fatalf("%v, %d looks", err, len(looks))
	}
	kept := []bool{true, false, true, false}
	for i, l := range looks {
		if l.Kept != kept[i] || (l.Err != nil) != (i == 3) || i < 3 && (!l.Status.Paused || l.Status.Left <= 0) {
			t.Errorf("look %d: %+v", i+1, l)
		}
	}
	if a, z := looks[0].Status.Left, looks[2].Status.Left; a-z < 29*time.Minute || a-z > 31*time.Minute {
		t.Errorf("%s left, half an hour later %s", a, z)
	}
}

func TestWatchNeedsEvidence(t *testing.T) {
	t.Parallel()
	b, _ := loaded(t)
	err := pipeline.Watch(t.Context(), b.client, virtual{b}, pipeline.WatchRequest{Job: "load", Interval: time.Minute}, func(pipeline.Look) { t.Error("a look") })
	if !errors.Is(err, pipeline.ErrConfiguration) {
		t.Errorf("got %v", err)
	}
}
