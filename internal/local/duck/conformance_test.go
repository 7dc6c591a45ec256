//go:build cgo

package duck

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/dialect"
	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

type vectorEntry struct {
	ID      string         `json:"id"`
	Setup   []string       `json:"setup"`
	SQL     string         `json:"sql"`
	Args    map[string]any `json:"args"`
	Project *[]string      `json:"project"`
	Expect  *struct {
		Columns []struct{ Name, Type string } `json:"columns"`
		Rows    [][]*string                   `json:"rows"`
	} `json:"expect"`
	ExpectError *struct {
		Class    string  `json:"class"`
		SQLState *string `json:"sqlstate"`
		Message  string  `json:"message"`
	} `json:"expect_error"`
}

// recording is an answer in the vectors' form.
type recording struct {
	Columns []string
	Rows    [][]string
	Error   string
}

func readVectors(t *testing.T) []vectorEntry {
	t.Helper()
	f, err := os.Open("testdata/conformance.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d := json.NewDecoder(f)
	d.UseNumber()
	var out []vectorEntry
	if err := d.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// player runs statements one after the other as a session of Spark would.
type player struct {
	engine *Engine
	now    time.Time
	zone   string
}

func (p *player) run(ctx context.Context, sql string, args map[string]any) (engine.Result, error) {
	p.now = p.now.Add(time.Second)
	s := engine.Statement{Text: sql, Catalog: "spark_catalog", Schema: "wt", Zone: p.zone, Now: p.now}
	for name, v := range args {
		s.Parameters = append(s.Parameters, parameter(name, v))
	}
	if parsed, err := dialect.Parse(sql, dialect.Session{}); err == nil {
		if z, ok := parsed.(*dialect.SetTimeZone); ok {
			p.zone = z.Zone
		}
	}
	return p.engine.Run(ctx, s)
}

func parameter(name string, v any) engine.Parameter {
	switch x := v.(type) {
	case nil:
		return engine.Parameter{Name: name, Type: "VOID"}
	case json.Number:
		n, _ := x.Int64()
		typ := "INT"
		if n != int64(int32(n)) {
			typ = "BIGINT"
		}
		s := x.String()
		return engine.Parameter{Name: name, Type: typ, Value: &s}
	case bool:
		s := fmt.Sprint(x)
		return engine.Parameter{Name: name, Type: "BOOLEAN", Value: &s}
	}
	s := v.(string)
	return engine.Parameter{Name: name, Type: "STRING", Value: &s}
}

// play gives what the engine answers to an entry.
func play(t *testing.T, v vectorEntry) recording {
	t.Helper()
	ctx := t.Context()
	e, err := Open(ctx, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	p := &player{engine: e, now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	for _, s := range append([]string{"CREATE SCHEMA wt"}, v.Setup...) {
		r, err := p.run(ctx, s, nil)
		if err != nil {
			return recording{Error: "setup " + s + ": " + err.Error()}
		}
		for r.Next() {
		}
		if err := errors.Join(r.Err(), r.Close()); err != nil {
			return recording{Error: "setup " + s + ": " + err.Error()}
		}
	}
	r, err := p.run(ctx, v.SQL, v.Args)
	if err != nil {
		return recording{Error: err.Error()}
	}
	defer r.Close()
	out := recording{}
	for _, c := range r.Columns() {
		out.Columns = append(out.Columns, c.Name+" "+c.Type)
	}
	for r.Next() {
		out.Rows = append(out.Rows, shown(r.Row()))
	}
	if err := r.Err(); err != nil {
		return recording{Error: err.Error()}
	}
	if v.Project != nil {
		out = project(t, r.Columns(), out, *v.Project)
	}
	return out
}

func shown(row []*string) []string {
	out := make([]string, len(row))
	for i, v := range row {
		out[i] = "NULL"
		if v != nil {
			out[i] = "=" + *v
		}
	}
	return out
}

// project keeps the named columns; a.b reaches into a struct or map.
func project(t *testing.T, columns []engine.Column, in recording, names []string) recording {
	t.Helper()
	var out recording
	at := map[string]int{}
	for i, c := range columns {
		at[c.Name] = i
	}
	for _, n := range names {
		head, rest, nested := strings.Cut(n, ".")
		i, ok := at[head]
		if !ok {
			t.Fatalf("no column %s", head)
		}
		typ := columns[i].Type
		if nested {
			typ = nestedType(t, typ, strings.Split(rest, "."))
		}
		out.Columns = append(out.Columns, n+" "+typ)
	}
	for _, row := range in.Rows {
		kept := []string{}
		for _, n := range names {
			head, rest, nested := strings.Cut(n, ".")
			v := row[at[head]]
			if nested {
				v = nestedValue(t, v, strings.Split(rest, "."))
			}
			kept = append(kept, v)
		}
		out.Rows = append(out.Rows, kept)
	}
	return out
}

func nestedType(t *testing.T, typ string, path []string) string {
	t.Helper()
	parsed, err := dialect.ParseType(typ)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range path {
		if parsed.Kind == dialect.Map {
			parsed = parsed.Elem[1]
			continue
		}
		for i, f := range parsed.Fields {
			if f == p {
				parsed = parsed.Elem[i]
				break
			}
		}
	}
	return parsed.String()
}

func nestedValue(t *testing.T, v string, path []string) string {
	t.Helper()
	if v == "NULL" {
		return v
	}
	d := json.NewDecoder(strings.NewReader(v[1:]))
	d.UseNumber()
	var at any
	if err := d.Decode(&at); err != nil {
		t.Fatalf("%s: %v", v, err)
	}
	for _, p := range path {
		m, ok := at.(map[string]any)
		if !ok {
			return "NULL"
		}
		at = m[p]
	}
	if at == nil {
		return "NULL"
	}
	return "=" + fmt.Sprint(at)
}

// wanted is the recorded answer.
func wanted(v vectorEntry) recording {
	var out recording
	if v.ExpectError != nil {
		return recording{Error: v.ExpectError.Class}
	}
	for _, c := range v.Expect.Columns {
		out.Columns = append(out.Columns, c.Name+" "+c.Type)
	}
	for _, row := range v.Expect.Rows {
		out.Rows = append(out.Rows, shown(row))
	}
	return out
}

// differs says how an answer differs from the recorded one, "" when it does not.
func differs(v vectorEntry, got recording) string {
	if v.ExpectError != nil {
		want := "[" + v.ExpectError.Class + "] "
		if !strings.HasPrefix(got.Error, want) {
			return fmt.Sprintf("want error %s, got %s %v", want, got.Error, got.Rows)
		}
		if v.ExpectError.SQLState != nil && !strings.HasSuffix(got.Error, " SQLSTATE: "+*v.ExpectError.SQLState) {
			return fmt.Sprintf("want SQLSTATE %s, got %s", *v.ExpectError.SQLState, got.Error)
		}
		if !strings.Contains(got.Error, v.ExpectError.Message) {
			return fmt.Sprintf("want message %s, got %s", v.ExpectError.Message, got.Error)
		}
		return ""
	}
	want := wanted(v)
	if !strings.Contains(strings.ToUpper(v.SQL), "ORDER BY") && v.Project == nil {
		sortRows(want.Rows)
		sortRows(got.Rows)
	}
	return cmp.Diff(want, got)
}

func sortRows(rows [][]string) {
	sort.SliceStable(rows, func(i, j int) bool { return strings.Join(rows[i], "\x00") < strings.Join(rows[j], "\x00") })
}

// TestConformance runs what Spark and Delta answered. An entry matches, or stands in Differences with its reason.
func TestConformance(t *testing.T) {
	t.Parallel()
	listed := map[string]Difference{}
	for _, d := range Differences() {
		listed[d.ID] = d
	}
	matched := 0
	vectors := readVectors(t)
	for _, v := range vectors {
		got := play(t, v)
		diff := differs(v, got)
		_, is := listed[v.ID]
		delete(listed, v.ID)
		switch {
		case diff == "" && is:
			t.Errorf("%s matches: take it off the list of differences", v.ID)
		case diff != "" && !is:
			t.Errorf("%s: %s\n%s", v.ID, v.SQL, diff)
		case diff == "":
			matched++
		}
	}
	for id := range listed {
		t.Errorf("%s is listed and no vector", id)
	}
	t.Logf("%d of %d match, %d are listed", matched, len(vectors), len(Differences()))
}
