package local

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

const maxBody = 64 << 20

// call is a request as a handler sees it.
type call struct {
	*http.Request
	body  []byte
	user  string
	route string
}

type callKey struct{}

// decode reads the body; no body reads as an empty object.
func (c *call) decode(v any) error {
	if len(bytes.TrimSpace(c.body)) == 0 {
		return nil
	}
	if err := decodeJSON(c.body, v); err != nil {
		return malformed("Invalid JSON in the request body: %v", err)
	}
	return nil
}

func (c *call) query(name string) string { return c.URL.Query().Get(name) }

// version is the API version in the path, such as 2.2.
func (c *call) version() string {
	rest, _ := strings.CutPrefix(c.URL.Path, "/api/")
	v, _, _ := strings.Cut(rest, "/")
	return v
}

// handler answers with a value for JSON, or a raw answer.
type handler func(ctx context.Context, c *call) (any, error)

type rawAnswer struct {
	contentType string
	body        []byte
}

// answer buffers a response, so that a fault can still replace it.
type answer struct {
	header http.Header
	status int
	bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }
func (a *answer) WriteHeader(s int)   { a.status = s }

func (w *Workspace) serve(rw http.ResponseWriter, r *http.Request) {
	_, pattern := w.mux.Handler(r)
	route := r.URL.Path
	if _, path, ok := strings.Cut(pattern, " "); ok {
		route = strings.TrimSuffix(path, "/{$}")
	}
	if strings.HasPrefix(r.URL.Path, "/local/") {
		rw.Header().Set("Date", w.Now().UTC().Format(http.TimeFormat))
		w.serveControl(rw, r, route)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, maxBody))
	user, authErr := w.authenticate(r)
	seen := &Request{At: w.Now(), Method: r.Method, Route: route, Path: r.URL.Path, Query: r.URL.RawQuery, Body: string(body), User: user}
	w.recorder.add(seen)
	defer w.recorder.done()
	wait(r.Context(), w.options.Latency)
	fault, faulty := w.faults.next(r.Method, route, r.URL.Path)
	if faulty && !w.before(rw, r, fault, seen) {
		return
	}
	a := &answer{header: http.Header{}, status: http.StatusOK}
	switch {
	case err != nil:
		writeError(a, malformed("The request body cannot be read: %v", err))
	case authErr != nil && !openRoute(route):
		writeError(a, authErr)
	default:
		c := &call{Request: r, body: body, user: user, route: route}
		w.mux.ServeHTTP(a, r.WithContext(context.WithValue(r.Context(), callKey{}, c)))
		w.settle(r.Method, a)
	}
	if faulty {
		w.after(rw, a, fault, seen)
		return
	}
	w.send(rw, a, seen)
}

// settle saves what a request changed before it is answered.
func (w *Workspace) settle(method string, a *answer) {
	if method == http.MethodGet {
		return
	}
	if err := w.save(); err != nil {
		a.Reset()
		writeError(a, &apiError{http.StatusInternalServerError, "INTERNAL_ERROR", err.Error()})
	}
}

// before plays the part of a fault that comes ahead of the action; false means the request is done with.
func (w *Workspace) before(rw http.ResponseWriter, r *http.Request, f Fault, seen *Request) bool {
	wait(r.Context(), f.Delay)
	switch {
	case f.Reset:
		cut(rw)
		return false
	case f.Status != 0 && !f.ActThenStatus && !f.ActThenReset:
		w.sendFault(rw, f, seen)
		return false
	}
	return true
}

// after plays the part of a fault that follows the action.
func (w *Workspace) after(rw http.ResponseWriter, a *answer, f Fault, seen *Request) {
	switch {
	case f.ActThenReset:
		cut(rw)
	case f.ActThenStatus:
		w.sendFault(rw, f, seen)
	case f.CutBody:
		w.recorder.answered(seen, a.status)
		cutBody(rw, a)
	case f.changesResult():
		f.changeResult(a)
		w.send(rw, a, seen)
	default:
		for k, v := range f.Headers {
			a.header.Set(k, v)
		}
		w.send(rw, a, seen)
	}
}

func (w *Workspace) sendFault(rw http.ResponseWriter, f Fault, seen *Request) {
	a := &answer{header: http.Header{}, status: f.Status}
	contentType := f.ContentType
	if contentType == "" {
		contentType = "application/json"
	}
	a.header.Set("Content-Type", contentType)
	for k, v := range f.Headers {
		a.header.Set(k, v)
	}
	a.WriteString(f.Body)
	w.send(rw, a, seen)
}

func (w *Workspace) send(rw http.ResponseWriter, a *answer, seen *Request) {
	w.recorder.answered(seen, a.status)
	for k, v := range a.header {
		rw.Header()[k] = v
	}
	rw.Header().Set("Date", w.Now().UTC().Format(http.TimeFormat))
	rw.WriteHeader(a.status)
	if _, err := rw.Write(a.Bytes()); err != nil {
		w.options.logf("answer %s: %v", seen.Path, err)
	}
}

// cut resets the connection.
func cut(rw http.ResponseWriter) {
	conn, _, err := http.NewResponseController(rw).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

func cutBody(rw http.ResponseWriter, a *answer) {
	conn, out, err := http.NewResponseController(rw).Hijack()
	if err != nil {
		return
	}
	whole := http.Response{StatusCode: a.status, ProtoMajor: 1, ProtoMinor: 1, Header: a.header, ContentLength: int64(a.Len()),
		Body: io.NopCloser(io.LimitReader(&a.Buffer, int64(a.Len()/2)))}
	_ = whole.Write(out) // ends early: that is the fault
	_ = out.Flush()
	_ = conn.Close()
}

func (w *Workspace) handle(mux *http.ServeMux, pattern string, h handler) {
	mux.HandleFunc(pattern, func(rw http.ResponseWriter, r *http.Request) {
		c, ok := r.Context().Value(callKey{}).(*call)
		if !ok {
			c = &call{user: ownerName}
			c.body, _ = io.ReadAll(http.MaxBytesReader(rw, r.Body, maxBody))
		}
		c.Request = r // carries the path values
		v, err := h(r.Context(), c)
		if err != nil {
			writeError(rw, err)
			return
		}
		if raw, ok := v.(rawAnswer); ok {
			rw.Header().Set("Content-Type", raw.contentType)
			_, _ = rw.Write(raw.body)
			return
		}
		rw.Header().Set("Content-Type", "application/json")
		writeJSON(rw, v)
	})
}

func writeJSON(rw io.Writer, v any) {
	e := json.NewEncoder(rw)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
}

func writeError(rw http.ResponseWriter, err error) {
	var e *apiError
	if !errors.As(err, &e) {
		e = &apiError{http.StatusInternalServerError, "INTERNAL_ERROR", err.Error()}
	}
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(e.Status)
	writeJSON(rw, map[string]any{"error_code": e.Code, "message": e.Message})
}

func wait(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
