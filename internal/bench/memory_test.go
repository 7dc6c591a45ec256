//go:build cgo

package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/report"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

const serveVariable = "WATERTIGHT_BENCH_SERVE"

// TestServe is no test: it is the workspace's process for TestMemoryDoesNotGrow, so that only the asking side is
// measured.
func TestServe(t *testing.T) {
	remove := os.Getenv(serveVariable)
	if remove == "" {
		t.Skip("it serves TestMemoryDoesNotGrow")
	}
	w, err := local.Open(t.Context(), local.Options{Start: time.Date(2026, 6, 2, 0, 0, 0, 0, time.UTC), Empty: true})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, w, 2_000_000)
	rows, err := w.Exec(t.Context(), "DELETE FROM main.events.tgt WHERE "+remove)
	if err != nil {
		t.Fatal(err)
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	fmt.Printf("serving %s %s %s\n", w.Host(), w.Token(), w.WarehouseID())
	_, _ = io.Copy(io.Discard, os.Stdin) // until the parent closes it
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// serve starts the workspace in a process of its own.
func serve(t *testing.T, remove string) *workspace.Client {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^TestServe$", "-test.v")
	c.Env = append(os.Environ(), serveVariable+"="+remove)
	in, inErr := c.StdinPipe()
	out, outErr := c.StdoutPipe()
	if err := errors.Join(inErr, outErr, c.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_, _ = io.Copy(io.Discard, out)
		_ = c.Wait()
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var host, token, warehouse string
		_, after, _ := strings.Cut(lines.Text(), "serving ")
		if n, _ := fmt.Sscanf(after, "%s %s %s", &host, &token, &warehouse); n == 3 {
			client, err := workspace.New(workspace.Config{Host: host, Token: token, AuthType: "pat", WarehouseID: warehouse, RateLimit: 100000})
			if err != nil {
				t.Fatal(err)
			}
			return client
		}
	}
	t.Fatalf("the workspace does not serve: %v", lines.Err())
	return nil
}

// peak watches the heap while f works, and returns the most that was in use.
func peak(f func()) uint64 {
	runtime.GC()
	stop, done := make(chan struct{}), make(chan uint64)
	go func() {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		most := uint64(0)
		for {
			metrics.Read(sample)
			most = max(most, sample[0].Value.Uint64())
			select {
			case <-stop:
				done <- most
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	f()
	close(stop)
	return <-done
}

// The asking side's memory does not grow with what is missing: 10 keys or 1 million of them, no two in a row.
func TestMemoryDoesNotGrow(t *testing.T) {
	if testing.Short() {
		t.Skip("it verifies 2 M rows twice")
	}
	var used []uint64
	for _, c := range []struct {
		remove  string
		missing int64
	}{{"p = 0 AND seq BETWEEN 100 AND 109", 10}, {"seq % 2 = 1", 0}} {
		client := serve(t, c.remove)
		var v reconcile.Verification
		used = append(used, peak(func() {
			var err error
			if v, err = pipeline.Verify(context.Background(), client, pipeline.VerifyRequest{Contract: promise(), ReadAt: time.Date(2026, 6, 2, 0, 0, 1, 0, time.UTC)}); err != nil {
				t.Fatal(err)
			}
			if err := (report.Verification{Verification: v}).JSON(io.Discard); err != nil {
				t.Fatal(err)
			}
		}))
		t.Logf("%d ranges, %d keys missing: %d MiB", v.Missing.Len(), v.Counts.Missing+v.Counts.Doomed, used[len(used)-1]>>20)
		if c.missing > 0 && v.Counts.Missing != c.missing || c.missing == 0 && v.Missing.Len() < 900_000 {
			t.Errorf("%s %+v %d ranges", v.Verdict, v.Counts, v.Missing.Len())
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}
	if used[1] > used[0]+32<<20 {
		t.Errorf("10 missing keys took %d MiB, 1 M took %d MiB", used[0]>>20, used[1]>>20)
	}
}
