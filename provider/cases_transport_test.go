package provider_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

const proxyPage = "<html><head><title>Sign in</title></head><body>please sign in to the proxy</body></html>"

// A refresh outlives what passes within retry_timeout, by asking again.
func TestRefreshOutlivesWhatPasses(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	s := newShell(t, strings.Replace(with(w, loader("")), `"2s"`, `"1m"`, 1))
	s.apply()
	for name, f := range map[string]local.Fault{
		"throttled":         {Status: http.StatusTooManyRequests, Headers: map[string]string{"Retry-After": "1"}, Body: `{"error_code":"REQUEST_LIMIT_EXCEEDED","message":"slow down"}`},
		"down, with a page": {Status: http.StatusServiceUnavailable, ContentType: "text/html", Body: proxyPage},
		"broken inside":     {Status: http.StatusInternalServerError, Body: `{"error_code":"INTERNAL_ERROR","message":"oops"}`},
		"reset":             {Reset: true},
		"cut":               {CutBody: true},
	} {
		f.Method, f.Route, f.Call, f.Times = http.MethodGet, "/api/2.2/jobs/get", 1, 1
		w.ResetRequests()
		w.ClearFaults()
		w.AddFault(f)
		began := time.Now()
		if out, code := s.plan(); code != 0 {
			t.Errorf("%s: exit %d\n%s", name, code, out)
		}
		if n := w.Count(http.MethodGet, "/api/2.2/jobs/get"); n < 2 {
			t.Errorf("%s: %d calls, want another", name, n)
		}
		if took := time.Since(began); name == "throttled" && took < time.Second {
			t.Errorf("%s: asked again after %s in spite of Retry-After", name, took)
		}
	}
}

// A refresh that does not get an answer says which call failed and what to do, keeps the state, and shows no secret.
func TestRefreshSaysWhatFailed(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	s := newShell(t, strings.Replace(with(w, loader("")), `"2s"`, `"1s"`, 1))
	s.apply()
	id := theJob(t, w).ID
	for name, c := range map[string]struct {
		fault local.Fault
		want  []string
	}{
		"throttled": {local.Fault{Status: http.StatusTooManyRequests, Body: `{"error_code":"REQUEST_LIMIT_EXCEEDED","message":"slow down"}`},
			[]string{"hrottled", "HTTP 429", "rate_limit", "retry_timeout"}},
		"down, with a page": {local.Fault{Status: http.StatusServiceUnavailable, ContentType: "text/html", Body: proxyPage},
			[]string{"HTTP 503", `a web page in place of JSON, titled "Sign in"`, "retry_timeout", w.Host()}},
		"broken inside": {local.Fault{Status: http.StatusInternalServerError, Body: `{"error_code":"INTERNAL_ERROR","message":"token ` + w.Token() + ` is not known here"}`},
			[]string{"HTTP 500", "is not known here", "retry_timeout"}},
		"cut":    {local.Fault{CutBody: true}, []string{"retry_timeout", w.Host()}},
		"a page": {local.Fault{Status: http.StatusOK, ContentType: "text/html", Body: proxyPage}, []string{"a web page in place of JSON", "no proxy answers in its place"}},
		"denied": {local.Fault{Status: http.StatusForbidden, Body: `{"error_code":"PERMISSION_DENIED","message":"User does not have permission"}`},
			[]string{"ermission denied", "HTTP 403"}},
		"token refused": {local.Fault{Status: http.StatusUnauthorized, Body: `{"error_code":"401","message":"Token ` + w.Token() + ` is revoked"}`},
			[]string{"ot authenticated", "Check the token"}},
	} {
		f := c.fault
		f.Method, f.Route = http.MethodGet, "/api/2.2/jobs/get"
		w.ClearFaults()
		w.AddFault(f)
		out, code := s.plan()
		if code != 1 {
			t.Errorf("%s: exit %d", name, code)
		}
		text := prose(out)
		wantAll(t, text, append(c.want, "The job cannot be read", fmt.Sprintf("job %d", id))...)
		if strings.Contains(text, w.Token()) || strings.Contains(text, "<body>") {
			t.Errorf("%s: a secret or a page is shown:\n%s", name, out)
		}
	}
	w.ClearFaults()
	if out, code := s.plan(); code != 0 {
		t.Errorf("once it answers again: exit %d\n%s", code, out)
	}
}
