package workspace

import (
	"context"
	"errors"
	"net"
	"net/http"
)

// transport sends requests once. It hides the text of network errors from the SDK, which would send any request again,
// writes too, where it recognises a few of them by text (httpclient/errors.go, isRetriableUrlError); here the call
// decides.
type transport struct {
	next      http.RoundTripper
	userAgent string
}

func newTransport(userAgent string) *transport {
	next := http.DefaultTransport
	if d, ok := next.(*http.Transport); ok {
		own := d.Clone()
		own.MaxIdleConnsPerHost = 16 // Terraform's default parallelism is 10
		next = own
	}
	return &transport{next: next, userAgent: userAgent}
}

// broken is a network error under a text that the SDK does not know.
type broken struct{ err error }

func (b *broken) Error() string { return "the connection failed" }
func (b *broken) Unwrap() error { return b.err }

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.userAgent != "" {
		r = r.Clone(r.Context())
		r.Header.Set("User-Agent", t.userAgent+" "+r.Header.Get("User-Agent"))
	}
	response, err := t.next.RoundTrip(r)
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return response, &broken{err}
	}
	return response, err
}

// notSent tells that a request surely did not reach the workspace.
func notSent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// hopeless tells that trying again cannot help: a host that does not exist, a certificate that is not trusted.
func hopeless(err error) bool {
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return dns.IsNotFound
	}
	return untrusted(err)
}
