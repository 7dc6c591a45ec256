package dialect

import (
	"strings"
	"time"
)

func upperASCII(s string) string { return strings.ToUpper(strings.TrimSpace(s)) }

func nestedFunctions() map[string]function {
	return map[string]function{
		"array": {0, -1, arrayFunction}, "map": {0, -1, mapFunction}, "named_struct": {2, -1, namedStruct}, "struct": {1, -1, structFunction},
		"sequence": {2, 3, sequence}, "size": {1, 1, sizeOf}, "cardinality": {1, 1, sizeOf}, "array_size": {1, 1, sizeOf},
	}
}

func arrayFunction(r *Rewriter, i invocation) (value, error) {
	if len(i.args) == 0 {
		return value{sql: "CAST([] AS INTEGER[])", typ: arrayOf(simple(Void))}, nil
	}
	vs, t, err := r.unify("array", i.args)
	if err != nil {
		return value{}, err
	}
	return merge(vs...).as("["+sqlList(vs)+"]", arrayOf(t)), nil
}

func mapFunction(r *Rewriter, i invocation) (value, error) {
	if len(i.args)%2 == 1 || len(i.args) == 0 {
		return value{}, refuse("map of %d arguments", len(i.args))
	}
	var keys, values []value
	for k := 0; k < len(i.args); k += 2 {
		keys, values = append(keys, i.args[k]), append(values, i.args[k+1])
	}
	keys, kt, err := r.unify("map", keys)
	if err != nil {
		return value{}, err
	}
	values, vt, err := r.unify("map", values)
	if err != nil {
		return value{}, err
	}
	return merge(i.args...).as("map(["+sqlList(keys)+"], ["+sqlList(values)+"])", mapOf(kt, vt)), nil
}

func namedStruct(_ *Rewriter, i invocation) (value, error) {
	if len(i.args)%2 == 1 {
		return value{}, wrongArguments(i.name, len(i.args))
	}
	var names []string
	var values []value
	for k := 0; k < len(i.args); k += 2 {
		l := i.args[k].lit
		if l == nil || l.typ.Kind != String {
			return value{}, NewError("DATATYPE_MISMATCH.CREATE_NAMED_STRUCT_WITHOUT_FOLDABLE_STRING", "Only foldable STRING expressions are allowed to appear at odd position.")
		}
		names, values = append(names, l.text), append(values, i.args[k+1])
	}
	return structOf(names, values), nil
}

func structFunction(_ *Rewriter, i invocation) (value, error) {
	names := columnNames(len(i.args))
	for k, e := range i.call.args {
		if c, ok := e.(*ColumnRef); ok {
			names[k] = c.Parts[len(c.Parts)-1]
		}
	}
	return structOf(names, i.args), nil
}

// sequence is the numbers from start to stop, both in; down when stop is below start and no step is given.
func sequence(r *Rewriter, i invocation) (value, error) {
	vs, t, err := r.unify("sequence", i.args)
	if err != nil {
		return value{}, err
	}
	if !t.integral() {
		return value{}, refuse("sequence of %s", t)
	}
	step := "CASE WHEN " + vs[0].sql + " <= " + vs[1].sql + " THEN 1 ELSE -1 END"
	if len(vs) == 3 {
		step = vs[2].sql
	}
	list := "generate_series(" + vs[0].sql + ", " + vs[1].sql + ", " + step + ")"
	return typed(list, arrayOf(t), vs...), nil
}

func sizeOf(_ *Rewriter, i invocation) (value, error) {
	switch v := i.args[0]; v.typ.Kind {
	case Array:
		return typed("len("+v.sql+")", simple(Int), v), nil
	case Map:
		return typed("cardinality("+v.sql+")", simple(Int), v), nil
	default:
		return v, mismatch(i.name, v.typ)
	}
}

// sessionFunctions answer from the session alone.
func sessionFunctions() map[string]function {
	text := func(get func(*Rewriter) string) function {
		return function{0, 0, func(r *Rewriter, _ invocation) (value, error) {
			return value{sql: textSQL(get(r)), typ: simple(String)}, nil
		}}
	}
	now := function{0, 0, func(r *Rewriter, _ invocation) (value, error) {
		return value{sql: timestampSQL(sqlMicros(r.session.Now)), typ: simple(Timestamp)}, nil
	}}
	today := function{0, 0, func(r *Rewriter, _ invocation) (value, error) {
		day := time.UnixMicro(localMicros(sqlMicros(r.session.Now), r.zone)).UTC().Format(time.DateOnly)
		return value{sql: "DATE '" + day + "'", typ: simple(Date)}, nil
	}}
	user := text(func(r *Rewriter) string { return r.session.User })
	schema := text(func(r *Rewriter) string { return or(r.session.Schema, "default") })
	return map[string]function{
		"current_timestamp": now, "now": now, "current_date": today, "curdate": today,
		"localtimestamp": {0, 0, func(r *Rewriter, _ invocation) (value, error) {
			return value{sql: timestampSQL(localMicros(sqlMicros(r.session.Now), r.zone)), typ: simple(TimestampNTZ)}, nil
		}},
		"current_catalog": text(func(r *Rewriter) string { return or(r.session.Catalog, "main") }),
		"current_schema":  schema, "current_database": schema, "schema": schema,
		"current_timezone": text(func(r *Rewriter) string { return or(r.session.Zone, "UTC") }),
		"current_user":     user, "user": user, "session_user": user,
		"typeof": {1, 1, func(_ *Rewriter, i invocation) (value, error) {
			sql := textSQL(i.args[0].typ.String())
			if i.args[0].aggregate {
				// The query must stay an aggregation.
				sql = "CASE WHEN count(*) >= 0 THEN " + sql + " END"
			}
			return i.args[0].as(sql, simple(String)), nil
		}},
		"raise_error": {1, 1, func(r *Rewriter, i invocation) (value, error) {
			v, err := r.castTo(i.args[0], simple(String), false)
			v.volatile = true
			return v.as("error('[USER_RAISED_EXCEPTION] ' || "+v.sql+")", simple(Void)), err
		}},
	}
}
