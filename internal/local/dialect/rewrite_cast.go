package dialect

import (
	"strconv"
	"strings"
	"time"
)

// castTo prints a conversion as Spark's ANSI cast, or with try as try_cast. The same type needs none.
func (r *Rewriter) castTo(v value, t Type, try bool) (value, error) {
	from := v.typ
	switch {
	case from.Equal(t):
		return v, nil
	case from.Kind == Void:
		return v.as("CAST(NULL AS "+t.Duck()+")", t), nil
	case v.lit != nil && from.Kind == Int && t.Kind == BigInt:
		return v.as(bigintSQL(v.lit.text), t).literalOf(v), nil
	case from.numeric() && t.numeric():
		return castNumber(v, t, try), nil
	case t.Kind == String:
		return r.castToString(v)
	case from.Kind == String:
		return r.castString(v, t, try)
	case from.Kind == Boolean && t.numeric(), from.numeric() && t.Kind == Boolean:
		return v.as("CAST("+v.sql+" AS "+t.Duck()+")", t), nil
	case from.nested() || t.nested():
		return r.castNested(v, t, try)
	}
	return r.castTime(v, t)
}

// literalOf keeps a widened literal known as one.
func (v value) literalOf(o value) value {
	v.lit = o.lit
	return v
}

func castWord(try bool) string {
	if try {
		return "TRY_CAST("
	}
	return "CAST("
}

func castNumber(v value, t Type, try bool) value {
	sql := v.sql
	if t.integral() && (v.typ.approximate() || v.typ.Kind == Decimal && v.typ.Scale > 0) {
		// Spark drops the fraction where DuckDB rounds.
		sql = "trunc(" + sql + ")"
	}
	return v.as(castWord(try)+sql+" AS "+t.Duck()+")", t)
}

// castString reads text. Spark's texts for numbers are narrower than DuckDB's, those for timestamps wider.
func (r *Rewriter) castString(v value, t Type, try bool) (value, error) {
	if v.lit != nil {
		if out, ok := r.foldString(v, t); ok {
			return out, nil
		}
	}
	text := "trim(" + v.sql + ")"
	switch {
	case t.Kind == Binary:
		return v.as("encode("+v.sql+")", t), nil
	case t.Kind == Decimal:
		return v.as(castWord(try)+text+" AS "+t.Duck()+")", t), nil
	case t.integral():
		text = "wt_integer_text(" + v.sql + ")"
	case t.Kind == Date:
		text = "wt_date_text(" + v.sql + ")"
	case t.Kind == Boolean, t.approximate(), t.Kind == Timestamp, t.Kind == TimestampNTZ:
	default:
		return value{}, refuse("a cast of string to %s", t)
	}
	read := "TRY_CAST(" + text + " AS " + t.Duck() + ")"
	if t.Kind == Timestamp {
		read = "CASE WHEN wt_has_zone(" + v.sql + ") THEN timezone('UTC', TRY_CAST(" + text + " AS TIMESTAMPTZ)) ELSE " + r.toInstant(read) + " END"
	}
	if try {
		return v.as(read, t), nil
	}
	v.volatile = true
	return v.as("wt_checked("+v.sql+", "+read+", '"+strings.ToUpper(t.String())+"')", t), nil
}

// foldString converts a literal here, exactly as Spark does.
func (r *Rewriter) foldString(v value, t Type) (value, bool) {
	switch t.Kind {
	case Timestamp, TimestampNTZ:
		m, ok := parseTimestamp(v.lit.text)
		if !ok {
			return v, false
		}
		if t.Kind == TimestampNTZ {
			return v.as(timestampSQL(m.local), t), true
		}
		return v.as(timestampSQL(m.instant(r.zone)), t), true
	case Date:
		d, ok := parseDate(v.lit.text)
		return v.as("DATE '"+d+"'", t), ok
	}
	return v, false
}

func (r *Rewriter) castToString(v value) (value, error) {
	t := simple(String)
	switch v.typ.Kind {
	case Float:
		return v.as("wt_double_text(CAST("+v.sql+" AS VARCHAR))", t), nil
	case Double:
		return v.as("wt_double_text(CAST("+v.sql+" AS VARCHAR))", t), nil
	case Binary:
		return v.as("decode("+v.sql+")", t), nil
	case Timestamp:
		return v.as("CAST("+r.toLocal(v.sql)+" AS VARCHAR)", t), nil
	case DayTimeInterval, YearMonthInterval, Array, Map, Struct:
		return value{}, refuse("a cast of %s to string", v.typ)
	}
	return v.as("CAST("+v.sql+" AS VARCHAR)", t), nil
}

// castTime converts between dates, timestamps and numbers.
func (r *Rewriter) castTime(v value, t Type) (value, error) {
	switch from := v.typ.Kind; {
	case from == Date && t.Kind == Timestamp:
		return v.as(r.toInstant("CAST("+v.sql+" AS TIMESTAMP)"), t), nil
	case from == Date && t.Kind == TimestampNTZ:
		return v.as("CAST("+v.sql+" AS TIMESTAMP)", t), nil
	case from == Timestamp && t.Kind == Date:
		return v.as("CAST("+r.toLocal(v.sql)+" AS DATE)", t), nil
	case from == TimestampNTZ && t.Kind == Date:
		return v.as("CAST("+v.sql+" AS DATE)", t), nil
	case from == Timestamp && t.Kind == TimestampNTZ:
		return v.as(r.toLocal(v.sql), t), nil
	case from == TimestampNTZ && t.Kind == Timestamp:
		return v.as(r.toInstant(v.sql), t), nil
	case from == Timestamp && t.Kind == BigInt:
		return v.as("wt_floor_div(epoch_us("+v.sql+"), 1000000)", t), nil
	case v.typ.integral() && t.Kind == Timestamp:
		return v.as("make_timestamp(CAST("+v.sql+" AS BIGINT) * 1000000)", t), nil
	}
	return value{}, NewError("DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION", "Cannot resolve the cast due to data type mismatch: cannot cast \""+
		strings.ToUpper(v.typ.String())+"\" to \""+strings.ToUpper(t.String())+"\".")
}

// castNested converts arrays, maps and structs whose parts convert without Spark's own rules.
func (r *Rewriter) castNested(v value, t Type, try bool) (value, error) {
	if v.typ.Kind != t.Kind || len(v.typ.Elem) != len(t.Elem) {
		return value{}, NewError("DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION", "Cannot cast "+v.typ.String()+" to "+t.String()+".")
	}
	for i, e := range v.typ.Elem {
		widens := e.integral() && t.Elem[i].integral() && e.Kind < t.Elem[i].Kind
		if !e.Equal(t.Elem[i]) && e.Kind != Void && !widens {
			return value{}, refuse("a cast of %s to %s", v.typ, t)
		}
	}
	return v.as(castWord(try)+v.sql+" AS "+t.Duck()+")", t), nil
}

// toLocal prints the wall time of an instant.
func (r *Rewriter) toLocal(sql string) string {
	if r.zone == time.UTC {
		return sql
	}
	if offset, ok := fixedOffset(r.zone); ok {
		return "(" + sql + " + to_microseconds(" + integerText(offset) + "))"
	}
	return "wt_local(" + sql + ", " + textSQL(r.zone.String()) + ")"
}

// toInstant prints the instant of a wall time.
func (r *Rewriter) toInstant(sql string) string {
	if r.zone == time.UTC {
		return sql
	}
	if offset, ok := fixedOffset(r.zone); ok {
		return "(" + sql + " - to_microseconds(" + integerText(offset) + "))"
	}
	return "wt_instant(" + sql + ", " + textSQL(r.zone.String()) + ")"
}

// fixedOffset is the offset of a zone written as one.
func fixedOffset(z *time.Location) (int64, bool) {
	if !offsetText.MatchString(z.String()) {
		return 0, false
	}
	_, off := time.Unix(0, 0).In(z).Zone()
	return int64(off) * 1e6, true
}

func integerText(n int64) string { return strconv.FormatInt(n, 10) }
