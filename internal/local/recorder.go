package local

import (
	"strings"
	"sync"
	"time"
)

// Request is a request that the workspace received, whatever it answered.
type Request struct {
	At     time.Time `json:"at"` // virtual
	Method string    `json:"method"`
	Route  string    `json:"route"` // the path pattern; the path itself where no route matched
	Path   string    `json:"path"`
	Query  string    `json:"query,omitempty"`
	Body   string    `json:"body,omitempty"`
	Status int       `json:"status"` // 0: the connection was reset
	User   string    `json:"user,omitempty"`
}

const (
	keptRequests = 50_000
	keptBodies   = 64 << 20
)

// recorder keeps requests in the order in which they arrived. Counts are exact; of requests and bodies the oldest are
// dropped beyond keptRequests and keptBodies, so that a server that runs for days does not grow.
type recorder struct {
	mu     sync.Mutex
	kept   []*Request
	bodies int
	counts map[[2]string]int
	// open are the requests without an answer yet, most the highest number of them.
	open, most int
}

func (r *recorder) add(q *Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.counts == nil {
		r.counts = map[[2]string]int{}
	}
	r.counts[[2]string{q.Method, q.Route}]++
	r.open++
	r.most = max(r.most, r.open)
	r.kept = append(r.kept, q)
	r.bodies += len(q.Body)
	for i := 0; r.bodies > keptBodies && i < len(r.kept)-1; i++ {
		r.bodies -= len(r.kept[i].Body)
		r.kept[i].Body = ""
	}
	if len(r.kept) > keptRequests {
		r.kept = append([]*Request(nil), r.kept[len(r.kept)-keptRequests/2:]...)
	}
}

func (r *recorder) done() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open--
}

func (r *recorder) answered(q *Request, status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	q.Status = status
}

func (r *recorder) all() []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]Request, len(r.kept))
	for i, q := range r.kept {
		out[i] = *q
	}
	return out
}

func (r *recorder) count(method, route string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for k, c := range r.counts {
		if (method == "" || method == k[0]) && routeMatches(route, k[1]) {
			n += c
		}
	}
	return n
}

func (r *recorder) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept, r.bodies, r.counts, r.most = nil, 0, nil, r.open
}

// routeMatches tells whether a route is meant by a wanted one: the pattern itself, its end from any slash on
// ("jobs/run-now"), or, with a star at the end, its beginning. Nothing wanted means any.
func routeMatches(wanted, route string) bool {
	switch {
	case wanted == "" || wanted == route:
		return true
	case strings.HasSuffix(wanted, "*"):
		return strings.HasPrefix(route, strings.TrimSuffix(wanted, "*"))
	case strings.HasPrefix(wanted, "/"):
		return false
	}
	return strings.HasSuffix(route, "/"+wanted)
}

// Requests returns the requests received, in order. Control routes and result downloads are left out.
func (w *Workspace) Requests() []Request { return w.recorder.all() }

// Count counts the requests received. Empty method or route: any. A route is a pattern such as /api/2.2/jobs/get, its
// end ("jobs/get"), or its beginning with a star.
func (w *Workspace) Count(method, route string) int { return w.recorder.count(method, route) }

// MostAtOnce is how many requests were under way at the same time, at most, since the last reset.
func (w *Workspace) MostAtOnce() int {
	w.recorder.mu.Lock()
	defer w.recorder.mu.Unlock()
	return w.recorder.most
}

// ResetRequests forgets the requests received so far.
func (w *Workspace) ResetRequests() { w.recorder.reset() }
