package local

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// chunk is a piece of a result: where its bytes lie in the spill, and its rows.
type chunk struct {
	at, bytes       int64
	rows, rowOffset int64
}

// spill holds a result as encoded chunks: one small result in memory, more of it in a temporary file. Memory does not
// grow with rows.
type spill struct {
	memory    []byte
	file      *os.File
	size      int64
	chunks    []chunk
	rows      int64
	truncated bool
}

const (
	chunkBytes = 2 << 20
	chunkRows  = 100_000
	memoryKept = 1 << 20
)

func (s *spill) add(encoded []byte, rows int64) error {
	c := chunk{at: s.size, bytes: int64(len(encoded)), rows: rows, rowOffset: s.rows}
	if s.file == nil && s.size+c.bytes > memoryKept {
		f, err := os.CreateTemp("", "watertight-result-*")
		if err != nil {
			return fmt.Errorf("keep the result: %w", err)
		}
		s.file = f
		if _, err := f.Write(s.memory); err != nil {
			return fmt.Errorf("keep the result: %w", err)
		}
		s.memory = nil
	}
	if s.file != nil {
		if _, err := s.file.Write(encoded); err != nil {
			return fmt.Errorf("keep the result: %w", err)
		}
	} else {
		s.memory = append(s.memory, encoded...)
	}
	s.size += c.bytes
	s.rows += rows
	s.chunks = append(s.chunks, c)
	return nil
}

func (s *spill) read(i int) ([]byte, error) {
	c := s.chunks[i]
	if s.file == nil {
		return s.memory[c.at : c.at+c.bytes], nil
	}
	b := make([]byte, c.bytes)
	if _, err := s.file.ReadAt(b, c.at); err != nil {
		return nil, fmt.Errorf("read the result: %w", err)
	}
	return b, nil
}

func (s *spill) close() {
	if s.file != nil {
		_ = s.file.Close()
		_ = os.Remove(s.file.Name())
	}
	s.memory, s.file = nil, nil
}

// encoder turns rows into the bytes of a chunk.
type encoder struct {
	format  string
	zone    string // what ends a timestamp
	columns []engine.Column
	buffer  bytes.Buffer
	csv     *csv.Writer
	rows    int64
}

func (e *encoder) row(values []*string) error {
	if e.format == "CSV" {
		return e.csvRow(values)
	}
	if e.rows == 0 {
		e.buffer.WriteByte('[')
	} else {
		e.buffer.WriteByte(',')
	}
	e.buffer.WriteByte('[')
	for i, v := range values {
		if i > 0 {
			e.buffer.WriteByte(',')
		}
		if v == nil {
			e.buffer.WriteString("null")
			continue
		}
		b, err := json.Marshal(wireText(e.columns[i].Type, *v, e.zone))
		if err != nil {
			return err
		}
		e.buffer.Write(b)
	}
	e.buffer.WriteByte(']')
	e.rows++
	return nil
}

// csvRow writes NULL as null, and a header in front of the first row only.
func (e *encoder) csvRow(values []*string) error {
	record := make([]string, len(values))
	if e.csv == nil {
		e.csv = csv.NewWriter(&e.buffer)
		for i, c := range e.columns {
			record[i] = c.Name
		}
		if err := e.csv.Write(record); err != nil {
			return err
		}
	}
	for i, v := range values {
		record[i] = "null"
		if v != nil {
			record[i] = wireText(e.columns[i].Type, *v, e.zone)
		}
	}
	e.rows++
	err := e.csv.Write(record)
	e.csv.Flush()
	return err
}

// flush hands the chunk to the spill.
func (e *encoder) flush(to *spill) error {
	if e.rows == 0 {
		return nil
	}
	if e.format != "CSV" {
		e.buffer.WriteByte(']')
	}
	err := to.add(e.buffer.Bytes(), e.rows)
	e.buffer.Reset()
	e.rows = 0
	return err
}

var (
	describeHistory = regexp.MustCompile(`(?i)^\s*DESC(RIBE)?\s+HISTORY\b`)
	outputRows      = regexp.MustCompile(`(numOutputRows"?\s*[:=>-]+\s*"?)(\d+)`)
)

// lie adds to the row counts of a history row.
func lie(row []*string, off int64) []*string {
	if off == 0 {
		return row
	}
	out := make([]*string, len(row))
	for i, v := range row {
		if v == nil {
			continue
		}
		changed := outputRows.ReplaceAllStringFunc(*v, func(found string) string {
			m := outputRows.FindStringSubmatch(found)
			n, _ := strconv.ParseInt(m[2], 10, 64)
			return m[1] + strconv.FormatInt(n+off, 10)
		})
		out[i] = &changed
	}
	return out
}

// errInlineLimit is worded as Databricks words it.
var errInlineLimit = errors.New("Inline byte limit exceeded. Statements executed with disposition=INLINE can have a result size of at most 26214400 bytes. " + //nolint:staticcheck // Databricks' words
	"Please execute the statement with disposition=EXTERNAL_LINKS if you want to download the full result")

// fetch runs a statement and keeps its result.
func (w *Workspace) fetch(ctx context.Context, st *statement, s engine.Statement) (err error) {
	result, err := w.query(ctx, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, result.Close()) }()
	kept := &spill{}
	st.mu.Lock()
	st.columns, st.result = result.Columns(), kept
	st.mu.Unlock()
	e := &encoder{format: st.format, zone: st.zone, columns: result.Columns()}
	off := w.Behaviour().MetricsOff
	if !describeHistory.MatchString(s.Text) {
		off = 0
	}
	for result.Next() {
		if st.limits.rows > 0 && kept.rows+e.rows >= st.limits.rows || st.limits.bytes > 0 && kept.size+int64(e.buffer.Len()) >= st.limits.bytes {
			kept.truncated = true
			break
		}
		if err := e.row(lie(result.Row(), off)); err != nil {
			return err
		}
		size := kept.size + int64(e.buffer.Len())
		if !st.external && size > inlineLimit {
			return errInlineLimit
		}
		if size > externalLim {
			kept.truncated = true
			break
		}
		if e.buffer.Len() >= chunkBytes || e.rows >= chunkRows {
			if err := e.flush(kept); err != nil {
				return err
			}
		}
	}
	if err := result.Err(); err != nil {
		return err
	}
	return e.flush(kept)
}
