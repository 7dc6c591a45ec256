//go:build cgo

package dialect

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// vector is one recorded answer of Spark and Delta.
type vector struct {
	ID     string         `json:"id"`
	Setup  []string       `json:"setup"`
	SQL    string         `json:"sql"`
	Args   map[string]any `json:"args"`
	Expect *struct {
		Columns []struct{ Name, Type string } `json:"columns"`
		Rows    [][]*string                   `json:"rows"`
	} `json:"expect"`
	ExpectError *struct {
		Class    string `json:"class"`
		SQLState string `json:"sqlstate"`
	} `json:"expect_error"`
	Project *[]string `json:"project"`
}

// bench runs statements on plain DuckDB tables: enough for queries and simple writes, nothing of Delta.
type bench struct {
	t       *testing.T
	db      *sql.Conn
	session Session
	tables  map[string]Target
}

var errNeedsEngine = errors.New("needs the engine")

func newBench(t *testing.T) *bench {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	for _, m := range Macros() {
		if _, err := conn.ExecContext(t.Context(), m); err != nil {
			t.Fatalf("%s: %v", m, err)
		}
	}
	return &bench{t: t, db: conn, tables: map[string]Target{}, session: Session{Catalog: "spark_catalog", Schema: "wt", Zone: "UTC",
		Now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), User: "someone"}}
}

func (b *bench) find(n Name) (Target, error) {
	full, err := n.Complete("spark_catalog", "wt")
	if err != nil {
		return Target{}, err
	}
	if full.Catalog != "spark_catalog" {
		return Target{}, NewError("REQUIRES_SINGLE_PART_NAMESPACE", full.Catalog)
	}
	t, ok := b.tables[strings.ToLower(full.Table)]
	if !ok {
		return Target{}, NewError("TABLE_OR_VIEW_NOT_FOUND", n.String())
	}
	return t, nil
}

func (b *bench) Relation(_ context.Context, s Source) (Relation, error) {
	if s.Version != nil || s.TimestampSQL != "" {
		return Relation{}, errNeedsEngine
	}
	t, err := b.find(s.Name)
	r := Relation{SQL: quoteDuck(strings.ToLower(t.Name.Table))}
	for _, c := range t.Columns {
		r.Columns = append(r.Columns, c.Column)
	}
	return r, err
}

func (b *bench) Changes(context.Context, Changes) (Relation, error) {
	return Relation{}, errNeedsEngine
}

func (b *bench) exec(sql string) error {
	_, err := b.db.ExecContext(b.t.Context(), sql)
	return MapError(err)
}

func (b *bench) create(ctx context.Context, r *Rewriter, st *CreateTable) error {
	name := strings.ToLower(st.Name.Parts[len(st.Name.Parts)-1])
	t := Target{Name: engine.Name{Catalog: "spark_catalog", Schema: "wt", Table: name}}
	for _, c := range st.Columns {
		t.Columns = append(t.Columns, TargetColumn{Column: engine.Column{Name: c.Name, Type: c.Type}, Generated: c.Generated})
	}
	as := ""
	if st.As != nil {
		c, err := r.Query(ctx, st.As)
		if err != nil {
			return err
		}
		as = " AS " + c.SQL
		for _, col := range c.Columns {
			t.Columns = append(t.Columns, TargetColumn{Column: col})
		}
	}
	var columns []string
	for _, c := range t.Columns {
		typ, err := ParseType(c.Type)
		if err != nil {
			return err
		}
		columns = append(columns, quoteDuck(c.Name)+" "+typ.Duck())
	}
	if as == "" {
		as = " (" + strings.Join(columns, ", ") + ")"
	}
	b.tables[name] = t
	return b.exec("CREATE TABLE " + quoteDuck(name) + as)
}

// run executes a statement; for a query it gives the columns and the rows as text.
func (b *bench) run(text string) ([]engine.Column, [][]*string, error) {
	ctx := b.t.Context()
	st, err := Parse(text, b.session)
	if err != nil {
		return nil, nil, err
	}
	r, err := NewRewriter(b.session, b)
	if err != nil {
		return nil, nil, err
	}
	switch st := st.(type) {
	case *Query:
		return b.query(ctx, r, st)
	case *CreateTable:
		return nil, nil, b.create(ctx, r, st)
	case *Insert:
		return nil, nil, b.insert(ctx, r, st)
	case *SetTimeZone:
		b.session.Zone = st.Zone
		return nil, nil, nil
	case *Delete:
		t, err := b.find(st.Table)
		if err != nil {
			return nil, nil, err
		}
		where := "TRUE"
		if st.Where != nil && HasSubquery(st.Where) {
			return nil, nil, NewError("DELTA_UNSUPPORTED_SUBQUERY", "Subqueries are not supported in the DELETE.")
		}
		if st.Where != nil {
			if where, err = r.Predicate(ctx, t, st.Where); err != nil {
				return nil, nil, err
			}
		}
		return nil, nil, b.exec("DELETE FROM " + quoteDuck(t.Name.Table) + " AS t WHERE " + where)
	}
	return nil, nil, errNeedsEngine
}

func (b *bench) insert(ctx context.Context, r *Rewriter, st *Insert) error {
	t, err := b.find(st.Table)
	if err != nil {
		return err
	}
	c, err := r.Insert(ctx, st, t)
	if err != nil {
		return err
	}
	generated, err := r.Generated(ctx, t)
	if err != nil {
		return err
	}
	var items []string
	for i, g := range generated {
		if g == "" {
			g = "t." + quoteDuck(t.Columns[i].Name)
		}
		items = append(items, g)
	}
	return b.exec("INSERT INTO " + quoteDuck(t.Name.Table) + " SELECT " + strings.Join(items, ", ") + " FROM (" + c.SQL + ") t")
}

func (b *bench) query(ctx context.Context, r *Rewriter, q *Query) ([]engine.Column, [][]*string, error) {
	c, err := r.Query(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	rows, err := b.db.QueryContext(ctx, c.SQL)
	if err != nil {
		return nil, nil, fmt.Errorf("%w\n%s", MapError(err), c.SQL)
	}
	defer func() { _ = rows.Close() }()
	var out [][]*string
	for rows.Next() {
		cells := make([]any, len(c.Columns))
		for i := range cells {
			cells[i] = new(any)
		}
		if err := rows.Scan(cells...); err != nil {
			return nil, nil, err
		}
		row := make([]*string, len(cells))
		for i, cell := range cells {
			row[i] = cellText(*cell.(*any))
		}
		out = append(out, row)
	}
	return c.Columns, out, MapError(rows.Err())
}

func cellText(v any) *string {
	var s string
	switch v := v.(type) {
	case nil:
		return nil
	case time.Time:
		s = strings.TrimSuffix(sparkTimestamp(v.UnixMicro()), " 00:00:00")
	case []byte:
		s = fmt.Sprintf("%X", v)
	case duckdb.Decimal:
		s = decimalText(v)
	case float64:
		s = javaDouble(v)
	default:
		s = fmt.Sprint(v)
	}
	return &s
}

func decimalText(v duckdb.Decimal) string {
	digits := new(big.Int).Abs(v.Value).String()
	scale := int(v.Scale)
	if len(digits) <= scale {
		digits = strings.Repeat("0", scale-len(digits)+1) + digits
	}
	if scale > 0 {
		digits = digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	}
	if v.Value.Sign() < 0 {
		return "-" + digits
	}
	return digits
}

func parametersOf(args map[string]any) []engine.Parameter {
	var out []engine.Parameter
	for name, v := range args {
		p := engine.Parameter{Name: name, Type: "VOID"}
		switch v := v.(type) {
		case string:
			p.Type, p.Value = "STRING", &v
		case json.Number:
			s := v.String()
			p.Type, p.Value = "INT", &s
			if len(s) > 9 {
				p.Type = "BIGINT"
			}
		}
		out = append(out, p)
	}
	return out
}

// deltas are answered by the engine around this package: constraints, names of columns and tables, properties.
var deltas = map[string]bool{"props.unknown.create": true, "insert.replaceWhere.outside": true, "create.exists": true,
	"create.ifNotExists": true, "create.notNull": true, "create.duplicateColumn": true, "create.noSchema": true,
	"names.invalidCharacters": true}

// TestConformance runs the recorded statements that need no Delta: same names, types, rows or class as Spark.
func TestConformance(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/conformance.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []vector
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	if err := d.Decode(&vectors); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, v := range vectors {
		t.Run(v.ID, func(t *testing.T) { ran += conforms(t, v) })
	}
	if ran < 100 {
		t.Errorf("only %d vectors ran", ran)
	}
}

func conforms(t *testing.T, v vector) int {
	if deltas[v.ID] {
		t.Skip("needs the engine")
	}
	b := newBench(t)
	for _, s := range v.Setup {
		if _, _, err := b.run(s); err != nil {
			if errors.Is(err, errNeedsEngine) {
				t.Skip(err)
			}
			t.Fatalf("setup %s: %v", s, err)
		}
	}
	b.session.Parameters = parametersOf(v.Args)
	columns, rows, err := b.run(v.SQL)
	if errors.Is(err, errNeedsEngine) || v.Project != nil {
		t.Skip("needs the engine")
	}
	if v.ExpectError != nil {
		var e *engine.Error
		if !errors.As(err, &e) || e.Class != v.ExpectError.Class || e.SQLState != v.ExpectError.SQLState {
			t.Fatalf("got %v, want %+v", err, v.ExpectError)
		}
		return 1
	}
	if err != nil {
		t.Fatal(err)
	}
	if columns == nil {
		t.Skip("a write")
	}
	nested := map[int]bool{}
	for i, c := range v.Expect.Columns {
		if i >= len(columns) || columns[i].Name != c.Name || columns[i].Type != c.Type {
			t.Errorf("column %d: got %v, want %v", i, columns, v.Expect.Columns)
			break
		}
		nested[i] = strings.ContainsAny(c.Type, "<") || c.Type == "timestamp" || c.Type == "timestamp_ntz"
	}
	for _, row := range [][][]*string{rows, v.Expect.Rows} {
		for _, r := range row {
			for i := range r {
				if nested[i] && r[i] != nil {
					s := strings.TrimSuffix(*r[i], " 00:00:00")
					r[i] = &s
					if strings.Contains(columns[i].Type, "<") {
						r[i] = nil
					}
				}
			}
		}
	}
	if len(rows) == 0 && len(v.Expect.Rows) == 0 {
		return 1
	}
	if diff := cmp.Diff(v.Expect.Rows, rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	return 1
}
