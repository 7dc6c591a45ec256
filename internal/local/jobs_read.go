package local

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
)

// page is where a paged read goes on. Turn keeps the order of shuffled arrays the same on all pages of one read.
type page struct {
	turn   uint64
	offset int
}

func (p page) token() string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d:%d", p.turn, p.offset))
}

func parsePage(token string) (page, error) {
	var p page
	b, err := base64.RawURLEncoding.DecodeString(token)
	if err == nil {
		_, err = fmt.Sscanf(string(b), "%d:%d", &p.turn, &p.offset)
	}
	if err != nil || p.offset < 0 {
		return p, badRequest("Invalid page token %q.", token)
	}
	return p, nil
}

// pageOf reads the page asked for; a first page gets a turn of its own. The caller holds w.mu.
func (w *Workspace) pageOf(c *call) (page, error) {
	if t := c.query("page_token"); t != "" {
		return parsePage(t)
	}
	w.turn++
	return page{turn: w.turn}, nil
}

// cutArrays keeps one page of the named arrays of m and tells whether any goes on behind it.
func cutArrays(m map[string]any, offset, size int, names ...string) (more bool) {
	for _, name := range names {
		l, ok := m[name].([]any)
		if !ok {
			continue
		}
		from, to := min(offset, len(l)), min(offset+size, len(l))
		more = more || to < len(l)
		if from == to && offset > 0 {
			delete(m, name)
			continue
		}
		m[name] = l[from:to]
	}
	return more
}

func (w *Workspace) getJob(_ context.Context, c *call) (any, error) {
	id, ok := integer(c.query("job_id"))
	if !ok {
		return nil, badRequest("Job id must be a number, not %q.", c.query("job_id"))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	j, err := w.find(id)
	if err != nil {
		return nil, err
	}
	p, err := w.pageOf(c)
	if err != nil {
		return nil, err
	}
	view := w.jobView(j, p.turn)
	s := object(view["settings"])
	if c.version() != "2.2" {
		return view, nil
	}
	size := w.behaviour.pageSize()
	if cutArrays(s, p.offset, size, "tasks", "job_clusters", "parameters", "environments") {
		view["next_page_token"] = page{p.turn, p.offset + size}.token()
		view["has_more"] = true
	}
	if c.query("include_trigger_state") == "true" && j.fires != nil {
		view["trigger_state"] = map[string]any{"pause_status": pauseText(j.fires.paused)}
	}
	return view, nil
}

func (w *Workspace) jobView(j *job, turn uint64) map[string]any {
	s := w.behaviour.serve(j.Settings, j.ID, turn)
	return map[string]any{"job_id": j.ID, "settings": s, "created_time": j.Created.UnixMilli(), "creator_user_name": j.Creator, "run_as_user_name": j.RunAs}
}

func pauseText(paused bool) string {
	if paused {
		return "PAUSED"
	}
	return "UNPAUSED"
}

func (w *Workspace) listJobs(_ context.Context, c *call) (any, error) {
	limit, offset, err := listWindow(c, 20, 1, 100, 1000)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var jobs []*job
	name := c.query("name")
	for _, j := range w.book.Jobs {
		if name == "" || strings.EqualFold(j.name(), name) {
			jobs = append(jobs, j)
		}
	}
	slices.SortFunc(jobs, func(a, b *job) int { return cmp.Compare(b.ID, a.ID) })
	out := map[string]any{}
	from, to := min(offset, len(jobs)), min(offset+limit, len(jobs))
	if to < len(jobs) {
		out["next_page_token"] = page{1, to}.token()
		out["has_more"] = true
	}
	var views []any
	for _, j := range jobs[from:to] {
		w.turn++
		v := w.jobView(j, w.turn)
		s := object(v["settings"])
		if c.query("expand_tasks") != "true" {
			delete(s, "tasks")
			delete(s, "job_clusters")
			delete(s, "environments")
			delete(s, "parameters")
		} else if cutArrays(s, 0, w.behaviour.pageSize(), "tasks", "job_clusters", "parameters", "environments") {
			v["has_more"] = true
		}
		views = append(views, v)
	}
	if views != nil {
		out["jobs"] = views
	}
	return out, nil
}

// listWindow reads limit and offset or page token, within the API's bounds.
func listWindow(c *call, standard, least, most, mostOffset int64) (limit, offset int, err error) {
	n, m := standard, int64(0)
	if q := c.query("limit"); q != "" {
		v, ok := integer(q)
		if !ok || v < least || v > most {
			return 0, 0, badRequest("Invalid limit %q: it must be between %d and %d.", q, least, most)
		}
		n = v
	}
	if q := c.query("offset"); q != "" {
		v, ok := integer(q)
		if !ok || v < 0 || v > mostOffset {
			return 0, 0, badRequest("Invalid offset %q: it must be between 0 and %d; use page_token beyond.", q, mostOffset)
		}
		m = v
	}
	if t := c.query("page_token"); t != "" {
		p, err := parsePage(t)
		if err != nil {
			return 0, 0, err
		}
		m = int64(p.offset)
	}
	return int(n), int(m), nil
}
