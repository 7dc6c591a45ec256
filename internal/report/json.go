package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"
)

// JSON writes any Document as JSON, or any other value as one indented document.
func JSON(w io.Writer, v any) error {
	if d, ok := v.(Document); ok {
		return d.JSON(w)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// document writes the fields of an object in order, each on a line of its own, and keeps the first error.
type document struct {
	w      io.Writer
	depth  int
	fields int
	err    error
}

// write begins a document, lets fill write its fields, and ends it.
func write(w io.Writer, fill func(*document)) error {
	d := &document{w: w}
	d.object(func(d *document) {
		d.field("schema", Schema)
		fill(d)
	})
	d.print("\n")
	return d.err
}

func (d *document) print(text string) {
	if d.err == nil {
		_, d.err = io.WriteString(d.w, text)
	}
}

func (d *document) object(fill func(*document)) {
	inner := &document{w: d.w, depth: d.depth + 1, err: d.err}
	inner.print("{")
	fill(inner)
	inner.print("\n" + strings.Repeat("  ", d.depth) + "}")
	d.err = inner.err
}

func (d *document) name(name string) {
	if d.fields++; d.fields > 1 {
		d.print(",")
	}
	d.print(fmt.Sprintf("\n%s%q: ", strings.Repeat("  ", d.depth), name))
}

func (d *document) field(name string, v any) {
	d.name(name)
	d.value(v)
}

// value is compact, so that each element of a list takes one line.
func (d *document) value(v any) {
	text, err := compact(v)
	if err != nil && d.err == nil {
		d.err = err
	}
	d.print(text)
}

// compact is JSON on one line, with <, > and & as they are.
func compact(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

func (d *document) nested(name string, fill func(*document)) {
	d.name(name)
	d.object(fill)
}

// list writes elements as they come; an error among them ends the document unfinished, which no reader takes for whole.
func list[T any](d *document, name string, elements iter.Seq2[T, error], shape func(T) any) {
	d.name(name)
	d.print("[")
	n := 0
	for e, err := range elements {
		if err != nil && d.err == nil {
			d.err = err
		}
		if d.err != nil {
			return
		}
		if n++; n > 1 {
			d.print(",")
		}
		d.print("\n" + strings.Repeat("  ", d.depth+1))
		d.value(shape(e))
	}
	if n > 0 {
		d.print("\n" + strings.Repeat("  ", d.depth))
	}
	d.print("]")
}

// each makes a slice a sequence without errors.
func each[T any](all []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, e := range all {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// instant is a time as JSON has it, nil for none.
func instant(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := t.UTC().Format("2006-01-02T15:04:05.999999Z")
	return &text
}

func seconds(d time.Duration) int64 { return int64(d / time.Second) }

// known is a number of seconds, nil where it means nothing.
func known(d time.Duration, ok bool) *int64 {
	if !ok {
		return nil
	}
	n := seconds(d)
	return &n
}

type reason struct {
	Code string `json:"code"`
	Text string `json:"text"`
}
