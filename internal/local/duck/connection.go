//go:build cgo

package duck

import (
	"context"
	"errors"
	"fmt"
	"time"

	bindings "github.com/duckdb/duckdb-go-bindings"
)

// connection is one DuckDB connection, used by one statement at a time.
type connection struct {
	handle bindings.Connection
	// changed counts the rows written since the last commit.
	changed int64
}

// duckError is DuckDB's own message.
type duckError struct{ message string }

func (e *duckError) Error() string { return e.message }

const interruptEvery = 20 * time.Millisecond

// guard runs a DuckDB call and interrupts it when ctx ends. DuckDB forgets an interrupt that comes before the call has
// begun to execute, so it is repeated until the call returns.
func (c *connection) guard(ctx context.Context, call func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if ctx.Done() == nil {
		return call()
	}
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		select {
		case <-done:
			return
		case <-ctx.Done():
		}
		tick := time.NewTicker(interruptEvery)
		defer tick.Stop()
		for {
			bindings.Interrupt(c.handle)
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	}()
	err := call()
	close(done)
	<-stopped
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// exec runs one or more DuckDB statements to their end and gives the number of rows the last one changed.
func (c *connection) exec(ctx context.Context, sql string) (int64, error) {
	var changed int64
	err := c.guard(ctx, func() error {
		var r bindings.Result
		defer bindings.DestroyResult(&r)
		if bindings.Query(c.handle, sql, &r) == bindings.StateError {
			return &duckError{bindings.ResultError(&r)}
		}
		changed = int64(bindings.RowsChanged(&r))
		c.changed += changed
		return nil
	})
	return changed, err
}

// query starts one DuckDB query. Its rows stream: nothing is computed far ahead of what has been read.
func (c *connection) query(ctx context.Context, sql string) (*rows, error) {
	var r *rows
	err := c.guard(ctx, func() (err error) {
		r, err = c.start(sql)
		return err
	})
	if err != nil {
		if r != nil {
			r.close()
		}
		return nil, err
	}
	r.ctx = ctx
	return r, nil
}

func (c *connection) start(sql string) (*rows, error) {
	var extracted bindings.ExtractedStatements
	n := bindings.ExtractStatements(c.handle, sql, &extracted)
	defer bindings.DestroyExtracted(&extracted)
	if n == 0 {
		return nil, &duckError{bindings.ExtractStatementsError(extracted)}
	}
	if n != 1 {
		return nil, fmt.Errorf("%d statements where one query is expected", n)
	}
	r := &rows{connection: c}
	if bindings.PrepareExtractedStatement(c.handle, extracted, 0, &r.prepared) == bindings.StateError {
		message := bindings.PrepareError(r.prepared)
		r.close()
		return nil, &duckError{message}
	}
	var pending bindings.PendingResult
	defer bindings.DestroyPending(&pending)
	if bindings.PendingPreparedStreaming(r.prepared, &pending) == bindings.StateError {
		message := bindings.PendingError(pending)
		r.close()
		return nil, &duckError{message}
	}
	if bindings.ExecutePending(pending, &r.result) == bindings.StateError {
		message := bindings.ResultError(&r.result)
		r.close()
		return nil, &duckError{message}
	}
	return r, nil
}

// rows are the chunks of a streaming result.
type rows struct {
	connection *connection
	ctx        context.Context
	prepared   bindings.PreparedStatement
	result     bindings.Result
	chunk      bindings.DataChunk
	vectors    []vector
	size, at   int
}

// next moves to the next row; false at the end.
func (r *rows) next() (bool, error) {
	r.at++
	for r.at >= r.size {
		more, err := r.fetch()
		if err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

func (r *rows) fetch() (bool, error) {
	bindings.DestroyDataChunk(&r.chunk)
	r.size, r.at = 0, 0
	err := r.connection.guard(r.ctx, func() error {
		r.chunk = bindings.FetchChunk(r.result)
		if r.chunk.Ptr == nil {
			if message := bindings.ResultError(&r.result); message != "" {
				return &duckError{message}
			}
		}
		return nil
	})
	if err != nil || r.chunk.Ptr == nil {
		return false, err
	}
	r.size = int(bindings.DataChunkGetSize(r.chunk))
	n := int(bindings.DataChunkGetColumnCount(r.chunk))
	r.vectors = r.vectors[:0]
	for i := range n {
		r.vectors = append(r.vectors, newVector(bindings.DataChunkGetVector(r.chunk, bindings.IdxT(i))))
	}
	return true, nil
}

func (r *rows) close() {
	bindings.DestroyDataChunk(&r.chunk)
	bindings.DestroyResult(&r.result)
	bindings.DestroyPrepare(&r.prepared)
}

// each reads a query to its end; the values of a row are its columns as plain text, nil for NULL.
func (c *connection) each(ctx context.Context, sql string, row func([]*string) error) error {
	r, err := c.query(ctx, sql)
	if err != nil {
		return err
	}
	defer r.close()
	f := plainFormat()
	for {
		more, err := r.next()
		if err != nil || !more {
			return err
		}
		values := make([]*string, len(r.vectors))
		for i := range r.vectors {
			values[i] = f.text(&r.vectors[i], r.at)
		}
		if err := row(values); err != nil {
			return err
		}
	}
}

// number reads a query of one whole number; NULL is 0.
func (c *connection) number(ctx context.Context, sql string) (int64, error) {
	n, err := c.numbers(ctx, sql)
	if err != nil || len(n) == 0 {
		return 0, err
	}
	return n[0], nil
}

// numbers reads the first column of a query of whole numbers.
func (c *connection) numbers(ctx context.Context, sql string) ([]int64, error) {
	var out []int64
	err := c.each(ctx, sql, func(v []*string) error {
		n, err := parseWhole(v[0])
		out = append(out, n)
		return err
	})
	return out, err
}

// texts reads the first column of a query.
func (c *connection) texts(ctx context.Context, sql string) ([]string, error) {
	var out []string
	err := c.each(ctx, sql, func(v []*string) error {
		if v[0] == nil {
			return errors.New("unexpected NULL")
		}
		out = append(out, *v[0])
		return nil
	})
	return out, err
}
