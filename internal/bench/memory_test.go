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
	"runtime/debug"
	"runtime/metrics"
	"strconv"
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
	rows, missing, ok := strings.Cut(os.Getenv(serveVariable), " ")
	if !ok {
		t.Skip("it serves TestMemoryDoesNotGrow")
	}
	all, err := strconv.Atoi(rows)
	if err != nil {
		t.Fatal(err)
	}
	w, err := local.Open(t.Context(), local.Options{Start: time.Date(2026, 6, 2, 0, 0, 0, 0, time.UTC), Empty: true})
	if err != nil {
		t.Fatal(err)
	}
	makeTables(t, w)
	execute(t, w, "INSERT INTO main.events.src %s; INSERT INTO main.events.tgt SELECT * FROM main.events.src WHERE NOT (%s)", events(0, all, all), missing)
	fmt.Printf("serving %s %s %s\n", w.Host(), w.Token(), w.WarehouseID())
	_, _ = io.Copy(io.Discard, os.Stdin) // until the parent closes it
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// serve starts the workspace in a process of its own.
func serve(t testing.TB, rows int, missing string) *workspace.Client {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^TestServe$", "-test.v")
	c.Env = append(os.Environ(), serveVariable+"="+fmt.Sprint(rows, " ", missing))
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

// peak watches what the runtime holds of the system while f works, and returns the most of it.
func peak(f func()) uint64 {
	debug.FreeOSMemory()
	stop, done := make(chan struct{}), make(chan uint64)
	go func() {
		sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
		most := uint64(0)
		for {
			metrics.Read(sample)
			most = max(most, sample[0].Value.Uint64()-sample[1].Value.Uint64())
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

// asked verifies what a workspace in another process holds, and returns the most memory that took here.
func asked(t testing.TB, rows int, missing string, want int64, evidence string) uint64 {
	t.Helper()
	client := serve(t, rows, missing)
	c := promise()
	c.Evidence = evidence
	var v reconcile.Verification
	most := peak(func() {
		var err error
		if v, err = pipeline.Verify(context.Background(), client, pipeline.VerifyRequest{Contract: c, ReadAt: midnight().Add(time.Second)}); err != nil {
			t.Fatal(err)
		}
		if err := (report.Verification{Verification: v}).JSON(io.Discard); err != nil {
			t.Fatal(err)
		}
	})
	t.Logf("%s: %d ranges, %d keys missing: %d MiB", missing, v.Missing.Len(), v.Counts.Missing, most>>20)
	if v.Counts.Missing != want {
		t.Errorf("%s %+v, want %d missing; %v", v.Verdict, v.Counts, want, v.Reasons)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
	return most
}

const mostMemory = 80 << 20

// The asking side's memory does not grow with what is missing: 10 keys or 1 million of them, no two in a row, of which more
// than 25 MiB is answered. The bound is 80 MiB.
func TestMemoryDoesNotGrow(t *testing.T) {
	if testing.Short() {
		t.Skip("it verifies 2 M rows twice")
	}
	// Of 250,000 sequences of a partition those below 244,791 are due.
	few := asked(t, 2_000_000, "p = 0 AND seq BETWEEN 100 AND 109", 10, "")
	many := asked(t, 2_000_000, "seq % 2 = 1 AND seq < 240000", 960_000, "")
	if many > few+32<<20 || many > mostMemory {
		t.Errorf("10 missing keys took %d MiB, 960,000 took %d MiB", few>>20, many>>20)
	}
}

// BenchmarkMemory is the same with 10 M rows missing: in one range of each partition, and with no two in a row.
func BenchmarkMemory(b *testing.B) {
	for b.Loop() {
		for _, c := range []struct {
			name, missing string
			rows          int
			want          int64
		}{
			{"ranges", "seq BETWEEN 100000 AND 1349999", 20_000_000, 10_000_000},
			{"isolated", "seq % 2 = 1 AND seq < 2500000", 20_800_000, 10_000_000},
		} {
			most := asked(b, c.rows, c.missing, c.want, "")
			b.ReportMetric(float64(most)/(1<<20), c.name+"-MiB")
			if most > mostMemory {
				b.Errorf("%s took %d MiB", c.name, most>>20)
			}
		}
	}
}
