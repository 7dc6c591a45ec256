package dialect

import (
	"context"
	"fmt"
	"strings"
)

// aggregation is an aggregate or window function: build gives DuckDB's call, which OVER and FILTER follow, and the
// function around it.
type aggregation struct {
	min, max int
	// windowOnly functions need OVER; plain ones accept neither DISTINCT nor FILTER.
	windowOnly bool
	// nulls says that IGNORE NULLS is understood, in a window.
	nulls bool
	build func(r *Rewriter, i invocation) (aggregated, error)
}

// aggregated is what an aggregation prints: head(args) tail.
type aggregated struct {
	name, args string
	wrap       func(string) string
	typ        Type
	volatile   bool
}

func wrapCast(t Type) func(string) string {
	return func(s string) string { return "CAST(" + s + " AS " + t.Duck() + ")" }
}

func aggregates() map[string]aggregation {
	a := map[string]aggregation{
		"count": {min: 0, max: -1, build: countOf}, "sum": {min: 1, max: 1, build: sumOf}, "try_sum": {min: 1, max: 1, build: sumOf},
		"avg": {min: 1, max: 1, build: average}, "mean": {min: 1, max: 1, build: average},
		"min": {min: 1, max: 1, build: extreme("min")}, "max": {min: 1, max: 1, build: extreme("max")},
		"count_if": {min: 1, max: 1, build: booleanAggregate("count_if", BigInt)},
		"any":      {min: 1, max: 1, build: booleanAggregate("bool_or", Boolean)}, "some": {min: 1, max: 1, build: booleanAggregate("bool_or", Boolean)},
		"bool_or": {min: 1, max: 1, build: booleanAggregate("bool_or", Boolean)}, "every": {min: 1, max: 1, build: booleanAggregate("bool_and", Boolean)},
		"bool_and": {min: 1, max: 1, build: booleanAggregate("bool_and", Boolean)},
		"max_by":   {min: 2, max: 2, build: extremeBy("arg_max_null")}, "min_by": {min: 2, max: 2, build: extremeBy("arg_min_null")},
		"collect_list": {min: 1, max: 1, build: collect}, "array_agg": {min: 1, max: 1, build: collect}, "collect_set": {min: 1, max: 1, build: collect},
		"row_number": ranking("row_number", Int), "rank": ranking("rank", Int), "dense_rank": ranking("dense_rank", Int),
		"percent_rank": ranking("percent_rank", Double), "cume_dist": ranking("cume_dist", Double),
		"ntile": {min: 1, max: 1, windowOnly: true, build: ntile},
		"lead":  {min: 1, max: 3, windowOnly: true, nulls: true, build: shift("lead")}, "lag": {min: 1, max: 3, windowOnly: true, nulls: true, build: shift("lag")},
		"nth_value": {min: 2, max: 2, windowOnly: true, nulls: true, build: nthValue},
	}
	for name, duck := range map[string]string{"first": "first", "first_value": "first", "any_value": "first", "last": "last", "last_value": "last"} {
		a[name] = aggregation{min: 1, max: 1, nulls: true, build: firstOrLast(duck)}
	}
	for _, name := range []string{"bit_and", "bit_or", "bit_xor"} {
		a[name] = aggregation{min: 1, max: 1, build: bitAggregate(name)}
	}
	return a
}

// aggregate prints an aggregate or window function with its FILTER and OVER.
func (r *Rewriter) aggregate(ctx context.Context, c *call, a aggregation, sc *scope) (value, error) {
	windowed := c.over != nil || c.overName != ""
	args, err := r.exprs(ctx, c.args, sc)
	if err != nil {
		return value{}, err
	}
	switch {
	case len(args) < a.min || a.max >= 0 && len(args) > a.max:
		return value{}, wrongArguments(c.name, len(args))
	case a.windowOnly && !windowed:
		return value{}, NewError("WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE", "Window function "+c.name+" requires an OVER clause.")
	case windowed && c.distinct:
		return value{}, NewError("DISTINCT_WINDOW_FUNCTION_UNSUPPORTED", "Distinct window functions are not supported: "+c.name+".")
	case c.ignoreNulls && (!a.nulls || !windowed):
		return value{}, refuse("IGNORE NULLS of %s", c.name)
	}
	for _, v := range args {
		if v.aggregate && !windowed {
			return value{}, NewError("NESTED_AGGREGATE_FUNCTION", "It is not allowed to use an aggregate function in the argument of another aggregate function.")
		}
	}
	g, err := a.build(r, invocation{call: c, args: args})
	if err != nil {
		return value{}, err
	}
	if c.ignoreNulls {
		g.args += " IGNORE NULLS"
	}
	sql := g.name + "(" + g.args + ")"
	if c.filter != nil {
		f, err := r.boolean(ctx, c.filter, sc)
		if err != nil {
			return value{}, err
		}
		sql += " FILTER (WHERE " + f.sql + ")"
	}
	if windowed {
		over, err := r.over(ctx, c, sc)
		if err != nil {
			return value{}, err
		}
		sql += " OVER (" + over + ")"
	}
	if g.wrap != nil {
		sql = g.wrap(sql)
	}
	out := merge(args...)
	out.volatile = out.volatile || g.volatile
	if windowed {
		out.window = true
	} else {
		out.aggregate = true
	}
	return out.as(sql, g.typ), nil
}

// over prints a window.
func (r *Rewriter) over(ctx context.Context, c *call, sc *scope) (string, error) {
	w := c.over
	if w == nil {
		for at := sc; at != nil && w == nil; at = at.parent {
			w = at.windows[strings.ToLower(c.overName)]
		}
		if w == nil {
			return "", NewError("MISSING_WINDOW_SPECIFICATION", "Window specification is not defined in the WINDOW clause for "+c.overName+".")
		}
	}
	var parts []string
	if len(w.partition) > 0 {
		vs, err := r.exprs(ctx, w.partition, sc)
		if err != nil {
			return "", err
		}
		parts = append(parts, "PARTITION BY "+sqlList(vs))
	}
	if len(w.order) > 0 {
		var items []string
		for _, o := range w.order {
			if o.expr == nil {
				return "", refuse("ORDER BY ALL in a window")
			}
			v, err := r.expr(ctx, o.expr, sc)
			if err != nil {
				return "", err
			}
			items = append(items, v.sql+" "+o.direction())
		}
		parts = append(parts, "ORDER BY "+strings.Join(items, ", "))
	}
	if w.frame != nil {
		f, err := r.frame(ctx, w.frame, sc)
		if err != nil {
			return "", err
		}
		parts = append(parts, f)
	}
	return strings.Join(parts, " "), nil
}

func (r *Rewriter) frame(ctx context.Context, f *frame, sc *scope) (string, error) {
	bound := func(b frameBound) (string, error) {
		if b.value == nil {
			return b.kind, nil
		}
		v, err := r.expr(ctx, b.value, sc)
		return v.sql + " " + b.kind, err
	}
	start, err := bound(f.start)
	if err != nil || !f.between {
		return f.unit + " " + start, err
	}
	end, err := bound(f.end)
	return f.unit + " BETWEEN " + start + " AND " + end, err
}

func countOf(_ *Rewriter, i invocation) (aggregated, error) {
	g := aggregated{name: "count", typ: simple(BigInt)}
	if i.star {
		g.args = "*"
		return g, nil
	}
	if len(i.args) == 0 {
		return g, wrongArguments("count", 0)
	}
	g.args = i.args[0].sql
	if len(i.args) > 1 {
		// Spark counts the rows in which no argument is NULL.
		var nulls []string
		for _, v := range i.args {
			nulls = append(nulls, v.sql+" IS NULL")
		}
		g.args = "CASE WHEN " + strings.Join(nulls, " OR ") + " THEN NULL ELSE row(" + sqlList(i.args) + ") END"
	}
	if i.distinct {
		g.args = "DISTINCT " + g.args
	}
	return g, nil
}

// sumOf narrows DuckDB's wide sum to Spark's type at the end, so that sums may overflow on the way.
func sumOf(r *Rewriter, i invocation) (aggregated, error) {
	v := i.args[0]
	if v.typ.Kind == String || v.typ.Kind == Void {
		w, err := r.castTo(v, simple(Double), false)
		if err != nil {
			return aggregated{}, err
		}
		v = w
	}
	g := aggregated{name: "sum", args: v.sql}
	if i.distinct {
		g.args = "DISTINCT " + g.args
	}
	try := i.name == "try_sum"
	switch {
	case v.typ.integral():
		g.typ = simple(BigInt)
		g.wrap = wrapCast(g.typ)
		if try {
			g.wrap = func(s string) string { return "TRY_CAST(" + s + " AS BIGINT)" }
		}
	case v.typ.approximate():
		g.typ = simple(Double)
		g.wrap = wrapCast(g.typ)
	case v.typ.Kind == Decimal:
		if try {
			return g, refuse("try_sum of %s", v.typ)
		}
		g.typ = decimalType(min(38, v.typ.Precision+10), v.typ.Scale)
		if g.typ.Precision < 38 {
			g.wrap = wrapCast(g.typ)
			break
		}
		if v.typ.Scale > 0 {
			g.wrap = wrapCast(g.typ)
			break
		}
		g.volatile = true
		g.wrap = func(s string) string { return "CAST(wt_decimal_sum(" + s + ") AS " + g.typ.Duck() + ")" }
	default:
		return g, refuse("%s of %s", i.name, v.typ)
	}
	return g, nil
}

func average(r *Rewriter, i invocation) (aggregated, error) {
	v := i.args[0]
	if !v.typ.integral() && !v.typ.approximate() {
		if v.typ.Kind != String && v.typ.Kind != Void {
			return aggregated{}, refuse("%s of %s", i.name, v.typ)
		}
		w, err := r.castTo(v, simple(Double), false)
		if err != nil {
			return aggregated{}, err
		}
		v = w
	}
	g := aggregated{name: "avg", args: v.sql, typ: simple(Double), wrap: wrapCast(simple(Double))}
	if i.distinct {
		g.args = "DISTINCT " + g.args
	}
	return g, nil
}

func extreme(name string) func(*Rewriter, invocation) (aggregated, error) {
	return func(_ *Rewriter, i invocation) (aggregated, error) {
		if t := i.args[0].typ; t.nested() {
			return aggregated{}, refuse("%s of %s", name, t)
		}
		return aggregated{name: name, args: i.args[0].sql, typ: i.args[0].typ}, nil
	}
}

func booleanAggregate(name string, result Kind) func(*Rewriter, invocation) (aggregated, error) {
	return func(r *Rewriter, i invocation) (aggregated, error) {
		v, err := r.castTo(i.args[0], simple(Boolean), false)
		return aggregated{name: name, args: v.sql, typ: simple(result), wrap: wrapCast(simple(result))}, err
	}
}

func bitAggregate(name string) func(*Rewriter, invocation) (aggregated, error) {
	return func(_ *Rewriter, i invocation) (aggregated, error) {
		if !i.args[0].typ.integral() {
			return aggregated{}, mismatch(name, i.args[0].typ)
		}
		return aggregated{name: name, args: i.args[0].sql, typ: i.args[0].typ}, nil
	}
}

func extremeBy(name string) func(*Rewriter, invocation) (aggregated, error) {
	return func(_ *Rewriter, i invocation) (aggregated, error) {
		return aggregated{name: name, args: sqlList(i.args), typ: i.args[0].typ}, nil
	}
}

// collect leaves NULLs out and gives an empty array for no rows, as Spark does; the order is the engine's.
func collect(_ *Rewriter, i invocation) (aggregated, error) {
	if i.filter != nil || i.over != nil || i.overName != "" {
		return aggregated{}, refuse("%s with FILTER or OVER", i.name)
	}
	v := i.args[0]
	args := v.sql
	if i.distinct || i.name == "collect_set" {
		args = "DISTINCT " + args
	}
	t := arrayOf(v.typ)
	return aggregated{name: "list", args: args, typ: t, wrap: func(s string) string {
		return fmt.Sprintf("coalesce(%s FILTER (WHERE %s IS NOT NULL), CAST([] AS %s))", s, v.sql, t.Duck())
	}}, nil
}

func ranking(name string, k Kind) aggregation {
	return aggregation{windowOnly: true, build: func(*Rewriter, invocation) (aggregated, error) {
		return aggregated{name: name, typ: simple(k), wrap: wrapCast(simple(k))}, nil
	}}
}

func ntile(_ *Rewriter, i invocation) (aggregated, error) {
	return aggregated{name: "ntile", args: i.args[0].sql, typ: simple(Int), wrap: wrapCast(simple(Int))}, nil
}

func shift(name string) func(*Rewriter, invocation) (aggregated, error) {
	return func(r *Rewriter, i invocation) (aggregated, error) {
		args := append([]value(nil), i.args...)
		if len(args) == 3 {
			d, err := r.castTo(args[2], args[0].typ, false)
			if err != nil {
				return aggregated{}, err
			}
			args[2] = d
		}
		return aggregated{name: name, args: sqlList(args), typ: args[0].typ}, nil
	}
}

func nthValue(_ *Rewriter, i invocation) (aggregated, error) {
	return aggregated{name: "nth_value", args: sqlList(i.args), typ: i.args[0].typ}, nil
}

func firstOrLast(name string) func(*Rewriter, invocation) (aggregated, error) {
	return func(_ *Rewriter, i invocation) (aggregated, error) {
		g := aggregated{name: name, args: i.args[0].sql, typ: i.args[0].typ}
		if i.over != nil || i.overName != "" {
			g.name += "_value"
		}
		return g, nil
	}
}
