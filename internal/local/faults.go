package local

import (
	"sync"
	"time"
)

// Fault is an answer given in place of the real one.
type Fault struct {
	// Route and Method choose the requests; empty means any. A route as for Count, or an exact path.
	Route, Method string
	// Call is the first request it applies to, counted from 1 since the fault was added; 0: the first. Times is how
	// many requests in a row; 0 means every one when Call is 0, and one otherwise.
	Call, Times int
	// Status, Body, ContentType and Headers replace the answer. Without a status the real answer is given, late or
	// cut short.
	Status      int
	Body        string
	ContentType string
	Headers     map[string]string
	// Delay is waited, in real time, before anything else.
	Delay time.Duration
	// Reset cuts the connection before the request is acted on; ActThenReset after; ActThenStatus acts, then
	// answers with Status. Go's own transport sends a GET again when a connection that it reused is reset.
	Reset, ActThenReset, ActThenStatus bool
	// CutBody sends half the real body and closes the connection.
	CutBody bool
	// MarkTruncated sets manifest.truncated in the answers of the statement API.
	MarkTruncated bool
	// LoseRow promises one row more than comes, in the manifest of a statement; LoseValue drops the last value of each row.
	LoseRow, LoseValue bool
}

type armedFault struct {
	Fault
	seen int
}

func (f *armedFault) meets(method, route, path string) bool {
	return (f.Method == "" || f.Method == method) && (routeMatches(f.Route, route) || f.Route == path)
}

func (f *armedFault) due() bool {
	first, times := f.Call, f.Times
	if first == 0 && times == 0 {
		return true
	}
	first, times = max(first, 1), max(times, 1)
	return f.seen >= first && f.seen < first+times
}

// faults holds the faults in force. Each one counts the requests it is about, also those that another answered.
type faults struct {
	mu    sync.Mutex
	armed []*armedFault
}

func (f *faults) add(list ...Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range list {
		f.armed = append(f.armed, &armedFault{Fault: e})
	}
}

func (f *faults) all() []Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := make([]Fault, len(f.armed))
	for i, a := range f.armed {
		out[i] = a.Fault
	}
	return out
}

func (f *faults) clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.armed = nil
}

// next counts a request and returns the first fault due for it.
func (f *faults) next(method, route, path string) (Fault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var found *armedFault
	for _, a := range f.armed {
		if !a.meets(method, route, path) {
			continue
		}
		a.seen++
		if found == nil && a.due() {
			found = a
		}
	}
	if found == nil {
		return Fault{}, false
	}
	return found.Fault, true
}

// AddFault puts a fault in force from the next request on. Earlier ones go first.
func (w *Workspace) AddFault(f Fault) { w.faults.add(f) }

// ClearFaults ends all faults.
func (w *Workspace) ClearFaults() { w.faults.clear() }
