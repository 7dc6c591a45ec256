package dialect

import "time"

func timeFunctions() map[string]function {
	return map[string]function{
		"unix_micros": {1, 1, unixOf(1)}, "unix_millis": {1, 1, unixOf(1000)}, "unix_seconds": {1, 1, unixOf(1000000)},
		"to_unix_timestamp": {1, 2, unixTimestamp}, "unix_timestamp": {0, 2, unixTimestamp},
		"timestamp_micros": {1, 1, fromUnix(1)}, "timestamp_millis": {1, 1, fromUnix(1000)}, "timestamp_seconds": {1, 1, fromUnix(1000000)},
		"timestampadd": {2, 3, timeAdd}, "dateadd": {2, 3, timeAdd}, "date_add": {2, 3, timeAdd}, "date_sub": {2, 2, dateSub},
		"timestampdiff": {2, 3, timeDiff}, "datediff": {2, 3, timeDiff}, "date_diff": {2, 3, timeDiff},
		"date_trunc": {2, 2, dateTrunc}, "trunc": {2, 2, truncDate},
		"to_date": {1, 2, castFirst(Date)}, "to_timestamp": {1, 2, castFirst(Timestamp)},
		"year": {1, 1, part("year")}, "month": {1, 1, part("month")}, "day": {1, 1, part("day")}, "dayofmonth": {1, 1, part("day")},
		"hour": {1, 1, part("hour")}, "minute": {1, 1, part("minute")}, "second": {1, 1, part("second")}, "quarter": {1, 1, part("quarter")},
		"dayofyear": {1, 1, part("dayofyear")}, "weekofyear": {1, 1, part("week")}, "extract": {1, 1, extractPart},
		"make_dt_interval": {0, 4, makeInterval}, "make_date": {3, 3, makeDate}, "last_day": {1, 1, lastDay},
		"to_utc_timestamp": {2, 2, zoneShift(false)}, "from_utc_timestamp": {2, 2, zoneShift(true)},
	}
}

func castFirst(k Kind) func(*Rewriter, invocation) (value, error) {
	return func(r *Rewriter, i invocation) (value, error) {
		if len(i.args) == 2 {
			return value{}, refuse("%s with a format", i.name)
		}
		return r.castTo(i.args[0], simple(k), false)
	}
}

func unixOf(unit int64) func(*Rewriter, invocation) (value, error) {
	return func(r *Rewriter, i invocation) (value, error) {
		v, err := r.castTo(i.args[0], simple(Timestamp), false)
		if err != nil {
			return value{}, err
		}
		sql := "epoch_us(" + v.sql + ")"
		if unit != 1 {
			sql = "wt_floor_div(" + sql + ", " + integerText(unit) + ")"
		}
		return v.as(sql, simple(BigInt)), nil
	}
}

func unixTimestamp(r *Rewriter, i invocation) (value, error) {
	if len(i.args) == 0 {
		return value{sql: bigintSQL(integerText(r.session.Now.Unix())), typ: simple(BigInt)}, nil
	}
	if len(i.args) == 2 {
		return value{}, refuse("%s with a format", i.name)
	}
	return unixOf(1000000)(r, i)
}

func fromUnix(unit int64) func(*Rewriter, invocation) (value, error) {
	return func(r *Rewriter, i invocation) (value, error) {
		if !i.args[0].typ.integral() && i.args[0].typ.Kind != Void {
			return value{}, refuse("%s of %s", i.name, i.args[0].typ)
		}
		v, err := r.castTo(i.args[0], simple(BigInt), false)
		if err != nil {
			return value{}, err
		}
		sql := v.sql
		if unit != 1 {
			sql = "(" + sql + " * " + integerText(unit) + ")"
		}
		return v.as("make_timestamp("+sql+")", simple(Timestamp)), nil
	}
}

// timeAdd is timestampadd(UNIT, n, t), or with two arguments date_add(d, n).
func timeAdd(r *Rewriter, i invocation) (value, error) {
	if i.unit == "" {
		if len(i.args) != 2 || i.name == "timestampadd" {
			return value{}, refuse("%s with a unit that is no bare word", i.name)
		}
		return addDays(r, i, "+")
	}
	if len(i.args) != 2 {
		return value{}, wrongArguments(i.name, len(i.args)+1)
	}
	n, err := r.castTo(i.args[0], simple(BigInt), false)
	if err != nil {
		return value{}, err
	}
	t := i.args[1]
	if t.typ.Kind != TimestampNTZ {
		if t, err = r.castTo(t, simple(Timestamp), false); err != nil {
			return value{}, err
		}
	}
	out := merge(n, t)
	unit := units[i.unit]
	if unit > 0 && unit < units["DAY"] {
		return out.as("("+t.sql+" + to_microseconds("+n.sql+" * "+integerText(unit)+"))", t.typ), nil
	}
	step := "to_days(CAST(" + n.sql + " * " + integerText(unit/units["DAY"]) + " AS INTEGER))"
	if unit < 0 {
		step = "to_months(CAST(" + n.sql + " * " + integerText(-unit) + " AS INTEGER))"
	}
	if t.typ.Kind == TimestampNTZ {
		return out.as("("+t.sql+" + "+step+")", t.typ), nil
	}
	return out.as(r.toInstant("("+r.toLocal(t.sql)+" + "+step+")"), t.typ), nil
}

func addDays(r *Rewriter, i invocation, op string) (value, error) {
	d, err := r.castTo(i.args[0], simple(Date), false)
	if err != nil {
		return value{}, err
	}
	n, err := r.castTo(i.args[1], simple(Int), false)
	return merge(d, n).as("CAST(("+d.sql+" "+op+" "+n.sql+") AS DATE)", simple(Date)), err
}

func dateSub(r *Rewriter, i invocation) (value, error) { return addDays(r, i, "-") }

// timeDiff is timestampdiff(UNIT, a, b), whole units between wall times, or datediff(end, start) in days.
func timeDiff(r *Rewriter, i invocation) (value, error) {
	if i.unit == "" {
		if len(i.args) != 2 || i.name == "timestampdiff" {
			return value{}, refuse("%s with a unit that is no bare word", i.name)
		}
		ds, err := r.castAll(i.args, simple(Date))
		if err != nil {
			return value{}, err
		}
		return typed("("+ds[0].sql+" - "+ds[1].sql+")", simple(Int), ds...), nil
	}
	if len(i.args) != 2 {
		return value{}, wrongArguments(i.name, len(i.args)+1)
	}
	ts, err := r.castAll(i.args, simple(Timestamp))
	if err != nil {
		return value{}, err
	}
	from, to := r.toLocal(ts[0].sql), r.toLocal(ts[1].sql)
	out := merge(ts...)
	if unit := units[i.unit]; unit > 0 {
		return out.as("((epoch_us("+to+") - epoch_us("+from+")) // "+integerText(unit)+")", simple(BigInt)), nil
	}
	months := "datesub('month', " + from + ", " + to + ")"
	return out.as("("+months+" // "+integerText(-units[i.unit])+")", simple(BigInt)), nil
}

func dateTrunc(r *Rewriter, i invocation) (value, error) {
	l := i.args[0].lit
	if l == nil || l.typ.Kind != String {
		return value{}, refuse("date_trunc with a unit that is no literal")
	}
	t := i.args[1]
	if t.typ.Kind != TimestampNTZ {
		w, err := r.castTo(t, simple(Timestamp), false)
		if err != nil {
			return value{}, err
		}
		t = w
	}
	return r.truncTime(upperASCII(l.text), t)
}

func truncDate(r *Rewriter, i invocation) (value, error) {
	l := i.args[1].lit
	if l == nil || l.typ.Kind != String {
		return value{}, refuse("trunc with a unit that is no literal")
	}
	d, err := r.castTo(i.args[0], simple(Date), false)
	if err != nil {
		return value{}, err
	}
	switch upperASCII(l.text) {
	case "WEEK", "MONTH", "MON", "MM", "QUARTER", "YEAR", "YYYY", "YY":
	default:
		return d.as("CAST(NULL AS DATE)", simple(Date)), nil
	}
	v, err := r.truncTime(upperASCII(l.text), value{sql: "CAST(" + d.sql + " AS TIMESTAMP)", typ: simple(TimestampNTZ)})
	return d.as("CAST("+v.sql+" AS DATE)", simple(Date)), err
}

// part is a field of a date or of a timestamp's wall time.
func part(name string) func(*Rewriter, invocation) (value, error) {
	return func(r *Rewriter, i invocation) (value, error) {
		v := i.args[0]
		if v.typ.Kind != Date && v.typ.Kind != TimestampNTZ {
			w, err := r.castTo(v, simple(Timestamp), false)
			if err != nil {
				return value{}, err
			}
			v = w.as(r.toLocal(w.sql), w.typ)
		}
		if v.typ.Kind == Date {
			v = v.as("CAST("+v.sql+" AS TIMESTAMP)", v.typ)
		}
		return typed(name+"("+v.sql+")", simple(Int), v), nil
	}
}

func extractPart(r *Rewriter, i invocation) (value, error) {
	names := map[string]string{"YEAR": "year", "MONTH": "month", "DAY": "day", "HOUR": "hour", "MINUTE": "minute", "QUARTER": "quarter",
		"DOY": "dayofyear", "WEEK": "week"}
	name, ok := names[i.unit]
	if !ok {
		return value{}, refuse("extract of %s", i.unit)
	}
	return part(name)(r, i)
}

func makeInterval(r *Rewriter, i invocation) (value, error) {
	factors := []string{"86400000000", "3600000000", "60000000"}
	sum := "0"
	for k, v := range i.args {
		if k == 3 {
			w, err := r.castTo(v, decimalType(18, 6), false)
			if err != nil {
				return value{}, err
			}
			sum += " + CAST(" + unscaledSQL(w) + " AS BIGINT)"
			break
		}
		w, err := r.castTo(v, simple(BigInt), false)
		if err != nil {
			return value{}, err
		}
		sum += " + " + w.sql + " * " + factors[k]
	}
	return merge(i.args...).as("to_microseconds("+sum+")", simple(DayTimeInterval)), nil
}

func makeDate(r *Rewriter, i invocation) (value, error) {
	ns, err := r.castAll(i.args, simple(BigInt))
	return merge(i.args...).as("make_date("+sqlList(ns)+")", simple(Date)), err
}

func lastDay(r *Rewriter, i invocation) (value, error) {
	d, err := r.castTo(i.args[0], simple(Date), false)
	return d.as("last_day("+d.sql+")", simple(Date)), err
}

// zoneShift is from_utc_timestamp and to_utc_timestamp with a literal zone.
func zoneShift(from bool) func(*Rewriter, invocation) (value, error) {
	return func(r *Rewriter, i invocation) (value, error) {
		l := i.args[1].lit
		if l == nil || l.typ.Kind != String {
			return value{}, refuse("%s with a zone that is no literal", i.name)
		}
		zone, zerr := loadZone(l.text)
		if zerr != nil {
			return value{}, zerr
		}
		t, err := r.castTo(i.args[0], simple(Timestamp), false)
		if err != nil {
			return value{}, err
		}
		there := &Rewriter{zone: zone}
		if r.zone != time.UTC {
			return value{}, refuse("%s in a session zone other than UTC", i.name)
		}
		if from {
			return t.as(there.toLocal(t.sql), t.typ), nil
		}
		return t.as(there.toInstant(t.sql), t.typ), nil
	}
}
