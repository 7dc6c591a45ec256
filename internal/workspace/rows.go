package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

type manifest struct {
	Schema struct {
		Columns []struct {
			Name string `json:"name"`
			Type string `json:"type_text"`
		} `json:"columns"`
	} `json:"schema"`
	Chunks    int   `json:"total_chunk_count"`
	Rows      int64 `json:"total_row_count"`
	Truncated bool  `json:"truncated"`
}

// chunk is a part of a result: its rows, or links to them. The SDK's type for it turns NULL into an empty text.
type chunk struct {
	Index int         `json:"chunk_index"`
	Next  *int        `json:"next_chunk_index"`
	Data  [][]*string `json:"data_array"`
	Links []struct {
		URL   string `json:"external_link"`
		Index int    `json:"chunk_index"`
		Next  *int   `json:"next_chunk_index"`
	} `json:"external_links"`
}

// Rows streams the rows of a statement, one chunk in memory at a time. It must be closed.
type Rows struct {
	ctx     context.Context // of the Query that made it, as in database/sql
	client  *Client
	sql, id string
	columns []Column
	total   int64
	part    source
	next    *int
	row     []*string
	seen    int64
	err     error
	closed  bool
}

// source gives the rows of one chunk.
type source interface {
	// next is nil at the end.
	next() ([]*string, error)
	close() error
}

func newRows(ctx context.Context, c *Client, sql string, a statementAnswer) *Rows {
	r := &Rows{ctx: ctx, client: c, sql: sql, id: a.ID, total: a.Manifest.Rows}
	for _, col := range a.Manifest.Schema.Columns {
		r.columns = append(r.columns, Column{Name: col.Name, Type: strings.ToLower(col.Type)})
	}
	r.open(a.Result)
	return r
}

// Columns names the columns and their types. Empty for a statement that answers with no rows.
func (r *Rows) Columns() []Column { return r.columns }

// Next moves to the next row; false at the end or on an error, which Err tells apart.
func (r *Rows) Next() bool {
	for r.err == nil && !r.closed {
		if r.part != nil {
			r.row, r.err = r.part.next()
			if r.err == nil && r.row != nil {
				r.seen++
				if len(r.row) != len(r.columns) {
					r.err = fmt.Errorf("row %d has %d values for %d columns", r.seen, len(r.row), len(r.columns))
					break
				}
				return true
			}
			r.err = errors.Join(r.err, r.part.close())
			r.part = nil
			continue
		}
		if r.next == nil {
			if r.seen != r.total {
				r.err = fmt.Errorf("%w: %d rows came of %d", ErrTruncated, r.seen, r.total)
			}
			break
		}
		r.fetch(*r.next)
	}
	r.row = nil
	return false
}

// Row is the current row as SQL text, nil for NULL, valid until the next call of Next.
func (r *Rows) Row() []*string { return r.row }

// Err is the error that ended the rows early, or nil.
func (r *Rows) Err() error {
	if r.err == nil {
		return nil
	}
	var e *Error
	if errors.As(r.err, &e) {
		return r.err
	}
	return &Error{Op: "read the result of", Subject: abridge(r.sql), Err: r.err}
}

// Close ends the reading. It can be called twice.
func (r *Rows) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	if r.part == nil {
		return nil
	}
	return r.part.close()
}

// fetch reads the chunk of an index.
func (r *Rows) fetch(index int) {
	c, err := r.chunk(index)
	if err != nil {
		r.err = err
		return
	}
	r.open(c)
	if r.next != nil && *r.next <= index {
		r.err = fmt.Errorf("chunk %d is followed by chunk %d", index, *r.next)
	}
}

func (r *Rows) chunk(index int) (chunk, error) {
	var c chunk
	path := statementPath + url.PathEscape(r.id) + "/result/chunks/" + strconv.Itoa(index)
	err := r.client.read(r.ctx, get("read the result of", abridge(r.sql), path, nil), &c)
	if errors.Is(err, ErrNotFound) { // not the table: branching on the sentinel would blame that
		err = &Error{Op: "read the result of", Subject: abridge(r.sql), Err: fmt.Errorf("%w: part %d of it is gone: %v", ErrTruncated, index, err), Hint: "Run the command again."} //nolint:errorlint // what it is has changed
	}
	return c, err
}

func (r *Rows) open(c chunk) {
	r.next, r.part = c.Next, nil
	switch {
	case len(c.Links) > 0:
		l := c.Links[0]
		r.next = l.Next
		if l.Next == nil && len(c.Links) > 1 {
			r.next = &c.Links[1].Index
		}
		r.part, r.err = r.download(l.URL, l.Index)
	case len(c.Data) > 0:
		r.part = &memory{rows: c.Data}
	}
}

// download opens the link of a chunk. Links end after 15 minutes at most; the chunk has a new one then.
func (r *Rows) download(link string, index int) (source, error) {
	part, err := r.client.download(r.ctx, link)
	var refused *Answer
	if !errors.As(err, &refused) || refused.Status >= http.StatusInternalServerError {
		return part, err
	}
	c, err := r.chunk(index)
	if err != nil {
		return nil, err
	}
	if len(c.Links) == 0 {
		return nil, fmt.Errorf("%w: part %d of it has no link any more", ErrTruncated, index)
	}
	part, err = r.client.download(r.ctx, c.Links[0].URL)
	if errors.As(err, &refused) {
		err = fmt.Errorf("%w: the store refused two links to part %d of it: HTTP %d %s", ErrUnavailable, index, refused.Status, refused.Message)
	}
	return part, err
}

// memory is a chunk that came with its answer.
type memory struct{ rows [][]*string }

func (m *memory) next() ([]*string, error) {
	if len(m.rows) == 0 {
		return nil, nil
	}
	row := m.rows[0]
	m.rows[0] = nil
	m.rows = m.rows[1:]
	return row, nil
}

func (m *memory) close() error { return nil }

// download opens a signed link. It goes without the token: object stores refuse both at once, and it is none of theirs.
// The link is a secret while it lives, so errors do not show it.
func (c *Client) download(ctx context.Context, link string) (source, error) {
	p := newPatience(c.budget)
	for {
		body, err := c.openLink(ctx, link)
		if err == nil {
			return newStream(body), nil
		}
		wait, again := p.next(err, true)
		if !again || c.sleep(ctx, wait) != nil {
			return nil, fmt.Errorf("download a part of it: %w", err)
		}
	}
}

func (c *Client) openLink(ctx context.Context, link string) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, link, nil)
	if err != nil {
		return nil, errors.New("the link is not a URL")
	}
	response, err := c.wire.RoundTrip(request)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, &lost{err: err}
	case response.StatusCode != http.StatusOK:
		drain(response.Body)
		a := &Answer{Status: response.StatusCode, Message: http.StatusText(response.StatusCode), after: retryAfter(response.Header)}
		a.kind = kindOf(a.Status, "", "", 0, false)
		return nil, a
	}
	return response.Body, nil
}
