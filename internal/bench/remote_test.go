//go:build cgo

package bench

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

const slowVariable = "WATERTIGHT_BENCH_LATENCY"

// TestServeSlowly is no test: it is the workspace's process for what whole processes are measured on, so that the work of
// answering is not counted with that of asking.
func TestServeSlowly(t *testing.T) {
	latency, err := time.ParseDuration(os.Getenv(slowVariable))
	if err != nil {
		t.Skip("it serves the benchmarks of whole processes")
	}
	w, err := local.Open(t.Context(), local.Options{Start: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC), Empty: true, Latency: latency})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("serving %s %s %s\n", w.Host(), w.Token(), w.WarehouseID())
	_, _ = io.Copy(io.Discard, os.Stdin) // until the parent closes it
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// remote is a workspace in a process of its own.
type remote struct {
	host, token, warehouse string
	close                  func()
}

// serveSlowly starts one that takes as long for every answer as it would take over a network.
func serveSlowly(t testing.TB, latency time.Duration) *remote {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^TestServeSlowly$", "-test.v")
	c.Env = append(os.Environ(), slowVariable+"="+latency.String())
	in, inErr := c.StdinPipe()
	out, outErr := c.StdoutPipe()
	if err := errors.Join(inErr, outErr, c.Start()); err != nil {
		t.Fatal(err)
	}
	r := &remote{close: func() {
		_ = in.Close()
		_, _ = io.Copy(io.Discard, out)
		_ = c.Wait()
	}}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		_, after, _ := strings.Cut(lines.Text(), "serving ")
		if n, _ := fmt.Sscanf(after, "%s %s %s", &r.host, &r.token, &r.warehouse); n == 3 {
			return r
		}
	}
	r.close()
	t.Fatalf("the workspace does not serve: %v", lines.Err())
	return nil
}

// calls returns how often each route was asked for since the last reset, as "GET /api/2.2/jobs/get".
func (r *remote) calls(t testing.TB) map[string]int {
	t.Helper()
	var answer struct{ Requests []local.Request }
	if err := json.NewDecoder(r.control(t, http.MethodGet)).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, q := range answer.Requests {
		counts[q.Method+" "+q.Route]++
	}
	return counts
}

func (r *remote) forget(t testing.TB) {
	t.Helper()
	r.control(t, http.MethodDelete)
}

func (r *remote) control(t testing.TB, method string) io.Reader {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), method, r.host+"/local/v1/requests", nil)
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Authorization", "Bearer "+r.token)
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = answer.Body.Close() })
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %s", method, q.URL, answer.Status)
	}
	return answer.Body
}
