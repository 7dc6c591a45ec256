package workspace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/databricks/databricks-sdk-go/apierr"
	"github.com/databricks/databricks-sdk-go/httpclient"
)

// request is one call. Op and subject name it in errors: "read job", "7".
type request struct {
	op, subject  string
	method, path string
	query        url.Values
	body         any
	// repeatable: sending it twice has the effect of sending it once.
	repeatable bool
	// races: the service changes the object by itself, so that a conflict passes.
	races bool
	// patient: the answer is waited for, for a while, although the context has ended; it names what must be cancelled then.
	patient bool
	// id is the number of the object the call is about, by which its absence is told from that of another.
	id int64
}

func get(op, subject, path string, query url.Values) request {
	return request{op: op, subject: subject, method: http.MethodGet, path: path, query: query, repeatable: true}
}

func post(op, subject, path string, body any) request {
	return request{op: op, subject: subject, method: http.MethodPost, path: path, body: body}
}

func (r request) about(id int64) request {
	r.id = id
	return r
}

func (r request) again() request {
	r.repeatable = true
	return r
}

// reply is what came back.
type reply struct {
	body     []byte
	date     time.Time
	repeated bool // an earlier attempt may have acted
}

// into decodes the body; numbers become json.Number.
func (r reply) into(v any) error {
	d := json.NewDecoder(bytes.NewReader(r.body))
	d.UseNumber()
	return d.Decode(v)
}

// call sends a request and, where the policy allows, sends it again.
func (c *Client) call(ctx context.Context, r request) (reply, error) {
	api, err := c.connect(ctx)
	if err != nil {
		return reply{}, c.failure(r, err)
	}
	if ctx.Err() != nil { // nothing is sent, so nothing may have happened
		return reply{}, c.failure(r, &lost{before: true, err: context.Cause(ctx)})
	}
	p := newPatience(c.budget)
	p.races = r.races
	acted := false
	for {
		answer, err := c.once(ctx, api, r)
		if err == nil {
			clockOf(ctx).note(answer.date)
			answer.repeated = acted
			return answer, nil
		}
		acted = acted || mayHaveActed(err)
		wait, again := p.next(err, r.repeatable)
		if again && ctx.Err() == nil && c.sleep(ctx, wait) == nil {
			continue
		}
		if e := context.Cause(ctx); e != nil && !errors.Is(err, e) {
			err = fmt.Errorf("%w (the last answer was: %w)", e, err)
		}
		if acted && r.method != http.MethodGet {
			err = &uncertain{err}
		}
		return reply{repeated: acted}, c.failure(r, err)
	}
}

// read is a call whose answer is decoded into v.
func (c *Client) read(ctx context.Context, r request, v any) error {
	answer, err := c.call(ctx, r)
	if err != nil {
		return err
	}
	if err := answer.into(v); err != nil {
		what := "an answer that cannot be read"
		if isPage(string(answer.body)) {
			what = c.redact(webPage(string(answer.body)))
		}
		err = fmt.Errorf("%s gave %s: %w", c.host, what, err)
		if r.method != http.MethodGet {
			err = &uncertain{err}
		}
		return &Error{Op: r.op, Subject: r.subject, Err: err, Hint: "Check that host is the URL of a Databricks workspace and that no proxy answers in its place."}
	}
	return nil
}

// once sends a request a single time.
func (c *Client) once(ctx context.Context, api *httpclient.ApiClient, r request) (reply, error) {
	if r.patient && ctx.Err() == nil {
		var done func()
		ctx, done = waiting(ctx)
		defer done()
	}
	path := r.path
	if len(r.query) > 0 {
		path += "?" + r.query.Encode()
	}
	var answer reply
	var date string
	options := []httpclient.DoOption{
		httpclient.WithRequestHeader("Accept", "application/json"),
		httpclient.WithResponseHeader("Date", &date),
		httpclient.WithResponseUnmarshal(&answer.body),
	}
	if r.body != nil {
		options = append(options, httpclient.WithRequestData(r.body))
	}
	err := api.Do(ctx, r.method, path, options...)
	if err != nil {
		return answer, c.classify(ctx, r, err)
	}
	answer.date = parseDate(date)
	return answer, nil
}

var errStalled = errors.New("nothing moved within http_timeout")

func parseDate(header string) time.Time {
	t, err := http.ParseTime(header)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// classify turns what the SDK returned into an Answer, lost, credentials, or the end of ctx.
func (c *Client) classify(ctx context.Context, r request, err error) error {
	var refused *apierr.APIError
	var auth *credentials
	switch {
	case errors.As(err, &refused):
		return c.answerOf(ctx, r, refused)
	case errors.As(err, &auth):
		return auth
	case ctx.Err() != nil:
		return &lost{err: context.Cause(ctx)} // a caller's own deadline says which one it is
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &lost{err: errStalled} // the SDK's own limit ended it, not the caller
	}
	var b *broken
	if errors.As(err, &b) {
		return &lost{before: notSent(b.err), err: b.err}
	}
	var u *url.Error
	if errors.As(err, &u) {
		return &lost{err: u.Err}
	}
	return &lost{err: err}
}

func (c *Client) answerOf(ctx context.Context, r request, e *apierr.APIError) *Answer {
	a := &Answer{Status: e.StatusCode, Code: e.ErrorCode, Message: c.redact(e.Message)}
	isJSON := false
	if w := e.ResponseWrapper; w != nil && w.Response != nil {
		isJSON = strings.Contains(w.Response.Header.Get("Content-Type"), "json")
		a.after, a.date = retryAfter(w.Response.Header), parseDate(w.Response.Header.Get("Date"))
	}
	a.kind = kindOf(a.Status, a.Code, a.Message, r.id, isJSON)
	if _, err := strconv.Atoi(a.Code); err == nil || a.Code == "<nil>" {
		a.Code = ""
	}
	if isPage(a.Message) {
		a.Code, a.Message = "", webPage(a.Message)
	}
	a.passing = a.Status < http.StatusInternalServerError && e.IsRetriable(ctx)
	return a
}

// isPage tells a web page, which comes from something in front of the workspace.
func isPage(body string) bool { return strings.HasPrefix(strings.TrimSpace(body), "<") }

// webPage names a page by its title; the rest of it helps nobody.
func webPage(body string) string {
	const text = "a web page in place of JSON"
	_, rest, ok := strings.Cut(body, "<title>")
	if title, _, closed := strings.Cut(rest, "</title>"); ok && closed && len(title) < 100 {
		return text + ", titled " + strconv.Quote(strings.TrimSpace(title))
	}
	return text
}

// kindOf finds the sentinel for a refusal.
func kindOf(status int, code, message string, id int64, isJSON bool) error {
	switch {
	case status == http.StatusUnauthorized:
		return ErrUnauthenticated
	case status == http.StatusForbidden && strings.Contains(message, "access token"):
		return ErrUnauthenticated // Databricks answers 403 "Invalid access token." to a wrong or expired one
	case status == http.StatusForbidden:
		return ErrDenied
	case status == http.StatusNotFound && isJSON && !strings.Contains(code, "ENDPOINT_NOT_FOUND") && code != "FEATURE_DISABLED":
		return ErrNotFound // a page, or an unknown path, comes from something that is not the workspace
	case status == http.StatusBadRequest && code == "INVALID_PARAMETER_VALUE" && isAbsence(message, id):
		return ErrNotFound
	case status == http.StatusConflict, code == "RESOURCE_ALREADY_EXISTS", code == "ALREADY_EXISTS":
		return ErrConflict
	case status == http.StatusTooManyRequests, code == "REQUEST_LIMIT_EXCEEDED":
		return ErrThrottled
	case status >= http.StatusInternalServerError:
		return ErrUnavailable
	}
	return nil
}

// isAbsence recognises the 400 with which the Jobs API answers for a missing job or run: databricks-sdk-go,
// apierr/error_overrides.go. The number must be the one asked for: a job may name another that is missing.
func isAbsence(message string, id int64) bool {
	if id == 0 || !strings.Contains(message, "does not exist") && !strings.Contains(message, "doesn't exist") {
		return false
	}
	words := strings.FieldsFunc(message, func(r rune) bool { return r < '0' || r > '9' })
	for _, w := range words {
		if w == strconv.FormatInt(id, 10) {
			return true
		}
	}
	return false
}

// failure words the error of a call.
func (c *Client) failure(r request, err error) error {
	e := &Error{Op: r.op, Subject: r.subject, Err: err}
	switch {
	case errors.Is(err, ErrUnauthenticated):
		e.Hint = "Check the token or the other credentials: they are missing, wrong or expired for " + c.host + "."
	case errors.Is(err, ErrUncertain):
		e.Hint = "Look whether it happened before you try again."
	case errors.Is(err, ErrThrottled):
		e.Hint = "Lower rate_limit or the parallelism, or raise retry_timeout."
	case errors.Is(err, ErrUnavailable):
		e.Hint = "Check the host " + c.host + " and the network; retry_timeout says how long to keep trying."
	}
	return e
}

// redact takes the configured secrets out of a text that came from outside.
func (c *Client) redact(text string) string {
	s := c.config
	for _, secret := range []string{s.Token, s.ClientSecret, s.AzureClientSecret, s.Password, s.GoogleCredentials, s.ActionsIDTokenRequestToken} {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	const longest = 2000
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "…"
	}
	return text
}

// drain reads what is left of a body, so that its connection can serve again.
func drain(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, 64<<10)
	_ = body.Close()
}
