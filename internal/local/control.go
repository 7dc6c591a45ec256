package local

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

// controlRoutes are what a second process steers the workspace with. They are not recorded and meet no faults.
func (w *Workspace) controlRoutes(mux *http.ServeMux) {
	w.handle(mux, "GET /local/results/{id}/{chunk}", w.download)
	w.handle(mux, "GET /local/v1/clock", w.controlClock)
	w.handle(mux, "POST /local/v1/clock", w.controlSetClock)
	w.handle(mux, "POST /local/v1/advance", w.controlAdvance)
	w.handle(mux, "GET /local/v1/feed", w.controlGetFeed)
	w.handle(mux, "POST /local/v1/feed", w.controlSetFeed)
	w.handle(mux, "GET /local/v1/requests", func(context.Context, *call) (any, error) { return map[string]any{"requests": w.Requests()}, nil })
	w.handle(mux, "DELETE /local/v1/requests", func(context.Context, *call) (any, error) { w.ResetRequests(); return map[string]any{}, nil })
	w.handle(mux, "GET /local/v1/faults", w.controlGetFaults)
	w.handle(mux, "POST /local/v1/faults", w.controlAddFaults)
	w.handle(mux, "DELETE /local/v1/faults", func(context.Context, *call) (any, error) { w.ClearFaults(); return map[string]any{}, nil })
	w.handle(mux, "POST /local/v1/scripts", w.controlScript)
	w.handle(mux, "POST /local/v1/run-time", w.controlRunTime)
	w.handle(mux, "GET /local/v1/behaviour", func(context.Context, *call) (any, error) { return w.Behaviour(), nil })
	w.handle(mux, "POST /local/v1/behaviour", w.controlBehaviour)
	mux.HandleFunc("GET /local/v1/produced", w.controlProduced)
}

// serveControl answers everything under /local/. Result links carry their own key; all else needs the token.
func (w *Workspace) serveControl(rw http.ResponseWriter, r *http.Request, route string) {
	body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, maxBody))
	if err != nil {
		writeError(rw, malformed("The request body cannot be read: %v", err))
		return
	}
	c := &call{Request: r, body: body, route: route}
	if !strings.HasPrefix(route, "/local/results/") {
		if c.user, err = w.authenticate(r); err != nil {
			writeError(rw, err)
			return
		}
	}
	w.mux.ServeHTTP(rw, r.WithContext(context.WithValue(r.Context(), callKey{}, c)))
}

func (w *Workspace) clockView() map[string]any {
	return map[string]any{"now": w.Now().Format("2006-01-02T15:04:05.000Z07:00")}
}

func (w *Workspace) controlClock(context.Context, *call) (any, error) { return w.clockView(), nil }

// controlSetClock advances to an instant.
func (w *Workspace) controlSetClock(ctx context.Context, c *call) (any, error) {
	var b struct {
		Now time.Time `json:"now"`
	}
	if err := c.decode(&b); err != nil {
		return nil, err
	}
	d := b.Now.Sub(w.Now())
	if d < 0 {
		return nil, badRequest("The clock is at %s and does not go back to %s.", w.Now().Format(time.RFC3339), b.Now.Format(time.RFC3339))
	}
	if err := w.Advance(ctx, d); err != nil {
		return nil, err
	}
	return w.clockView(), nil
}

func (w *Workspace) controlAdvance(ctx context.Context, c *call) (any, error) {
	var b struct {
		Seconds json.Number `json:"seconds"`
	}
	if err := c.decode(&b); err != nil {
		return nil, err
	}
	seconds, err := b.Seconds.Float64()
	if err != nil || seconds < 0 || seconds > 10*366*24*3600 {
		return nil, badRequest("seconds must be a number between 0 and ten years' worth, not %q.", b.Seconds)
	}
	if err := w.Advance(ctx, time.Duration(seconds*1000)*time.Millisecond); err != nil {
		return nil, err
	}
	return w.clockView(), nil
}

func (w *Workspace) controlGetFeed(context.Context, *call) (any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.currentFeed()
	if s == nil {
		return map[string]any{}, nil
	}
	return feedText(s.Feed), nil
}

// controlSetFeed starts a feed; fields that are not given keep what the current feed has.
func (w *Workspace) controlSetFeed(ctx context.Context, c *call) (any, error) {
	w.mu.Lock()
	t := feedText(Feed{})
	if s := w.currentFeed(); s != nil {
		t = feedText(s.Feed)
	}
	w.mu.Unlock()
	d := json.NewDecoder(bytes.NewReader(c.body))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil && !errors.Is(err, io.EOF) {
		return nil, malformed("feed: %v", err)
	}
	f, err := t.feed()
	if err == nil {
		err = w.Feed(ctx, f)
	}
	if err != nil {
		return nil, badRequest("%v", err)
	}
	return w.controlGetFeed(ctx, c)
}

func (w *Workspace) controlGetFaults(context.Context, *call) (any, error) {
	out := []faultText{}
	for _, f := range w.faults.all() {
		out = append(out, f.text())
	}
	return map[string]any{"faults": out}, nil
}

func (w *Workspace) controlAddFaults(_ context.Context, c *call) (any, error) {
	list, err := ReadFaults(bytes.NewReader(c.body))
	if err != nil {
		return nil, badRequest("%v", err)
	}
	w.faults.add(list...)
	return map[string]any{"added": len(list)}, nil
}

func (w *Workspace) controlScript(_ context.Context, c *call) (any, error) {
	var s Script
	if err := c.decode(&s); err != nil {
		return nil, err
	}
	if s.Job == "" || len(s.Steps) == 0 {
		return nil, badRequest("A script needs a job and at least one step.")
	}
	w.AddScript(s)
	return map[string]any{}, nil
}

func (w *Workspace) controlRunTime(_ context.Context, c *call) (any, error) {
	var b struct {
		Job     string  `json:"job"`
		Seconds float64 `json:"seconds"`
	}
	if err := c.decode(&b); err != nil {
		return nil, err
	}
	w.SetRunTime(b.Job, time.Duration(b.Seconds*1000)*time.Millisecond)
	return map[string]any{}, nil
}

func (w *Workspace) controlBehaviour(_ context.Context, c *call) (any, error) {
	b := w.Behaviour()
	if err := c.decode(&b); err != nil {
		return nil, err
	}
	w.SetBehaviour(b)
	return b, nil
}

// controlProduced streams the truth as one JSON object a line.
func (w *Workspace) controlProduced(rw http.ResponseWriter, _ *http.Request) {
	rw.Header().Set("Content-Type", "application/x-ndjson")
	e := json.NewEncoder(rw)
	for event := range w.Produced {
		if e.Encode(event) != nil {
			return
		}
	}
}
