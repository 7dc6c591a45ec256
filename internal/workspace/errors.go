package workspace

import (
	"errors"
	"fmt"
	"time"
)

// What went wrong, for errors.Is. The error that carries one says where and what to do.
var (
	// ErrNotFound: the object is not there. A refusal or a throttled call is never this.
	ErrNotFound = errors.New("not found")
	// ErrDenied: the identity has no permission; the object may or may not exist.
	ErrDenied = errors.New("permission denied")
	// ErrUnauthenticated: the credentials are missing, wrong or expired.
	ErrUnauthenticated = errors.New("not authenticated")
	// ErrThrottled: the workspace kept refusing for being asked too often.
	ErrThrottled = errors.New("throttled")
	// ErrAmbiguous: a name fits several objects.
	ErrAmbiguous = errors.New("ambiguous")
	// ErrConflict: the object changed or exists already.
	ErrConflict = errors.New("conflict")
	// ErrUnavailable: no usable answer within the retry budget.
	ErrUnavailable = errors.New("unavailable")
	// ErrUncertain: the call may have acted, and must not be repeated blindly.
	ErrUncertain = errors.New("may have happened")
	// ErrTruncated: the result is not complete.
	ErrTruncated = errors.New("result truncated")
	// ErrNoHost: no workspace is configured.
	ErrNoHost = errors.New("no Databricks host")
	// ErrNoWarehouse: a statement has no warehouse to run on.
	ErrNoWarehouse = errors.New("no SQL warehouse")
)

// Error is a failed operation: "read job 7: permission denied: … (HTTP 403 PERMISSION_DENIED)". Hint, when set, says
// what to do; it is not part of the text.
type Error struct {
	Op, Subject string
	Err         error
	Hint        string
}

func (e *Error) Error() string {
	if e.Subject == "" {
		return e.Op + ": " + e.Err.Error()
	}
	return e.Op + " " + e.Subject + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// Answer is a refusal as the workspace gave it. It unwraps to the sentinel that fits.
type Answer struct {
	Status        int
	Code, Message string
	kind          error
	date          time.Time
	after         time.Duration // as Retry-After says
	passing       bool          // the SDK knows it as transient
}

func (a *Answer) Error() string {
	text := fmt.Sprintf("HTTP %d", a.Status)
	if a.Code != "" {
		text += " " + a.Code
	}
	if a.kind == nil {
		return fmt.Sprintf("%s (%s)", a.Message, text)
	}
	return fmt.Sprintf("%v: %s (%s)", a.kind, a.Message, text)
}

func (a *Answer) Unwrap() error { return a.kind }

// lost is a request whose answer never came, or came broken. before tells that the request was surely not sent.
type lost struct {
	before bool
	err    error
}

func (l *lost) Error() string        { return fmt.Sprintf("%v: %v", ErrUnavailable, l.err) }
func (l *lost) Unwrap() error        { return l.err }
func (l *lost) Is(target error) bool { return target == ErrUnavailable }

// uncertain marks a failure of a call that may have acted.
type uncertain struct{ err error }

func (u *uncertain) Error() string        { return fmt.Sprintf("%v; it %v", u.err, ErrUncertain) }
func (u *uncertain) Unwrap() error        { return u.err }
func (u *uncertain) Is(target error) bool { return target == ErrUncertain }

// HintOf is the hint of the outermost error that has one.
func HintOf(err error) string {
	for err != nil {
		var e *Error
		if !errors.As(err, &e) {
			return ""
		}
		if e.Hint != "" {
			return e.Hint
		}
		err = e.Err
	}
	return ""
}
