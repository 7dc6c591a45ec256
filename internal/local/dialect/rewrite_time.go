package dialect

// timeArithmetic prints + and - where a date, timestamp or interval takes part; false where none does.
func (r *Rewriter) timeArithmetic(op string, l, rv value) (value, bool, error) {
	timed := func(t Type) bool {
		return t.interval() || t.Kind == Date || t.Kind == Timestamp || t.Kind == TimestampNTZ
	}
	if !timed(l.typ) && !timed(rv.typ) {
		return value{}, false, nil
	}
	if op == "+" && !l.typ.interval() && timed(rv.typ) && !rv.typ.interval() || op == "+" && l.typ.interval() && !rv.typ.interval() {
		l, rv = rv, l
	}
	out := merge(l, rv)
	switch {
	case op != "+" && op != "-":
		if l.typ.interval() || rv.typ.interval() {
			return value{}, true, refuse("%s with an interval", op)
		}
		return value{}, true, mismatch(op, l.typ, rv.typ)
	case l.typ.Kind == Void || rv.typ.Kind == Void:
		t := l.typ
		if t.Kind == Void {
			t = rv.typ
		}
		return out.as("CAST(NULL AS "+t.Duck()+")", t), true, nil
	case rv.typ.interval():
		v, err := r.addInterval(op, l, rv)
		return v, true, err
	case l.typ.Kind == Date && rv.typ.integral():
		return out.as("CAST(("+l.sql+" "+op+" CAST("+rv.sql+" AS INTEGER)) AS DATE)", simple(Date)), true, nil
	case l.typ.Kind == Date && rv.typ.Kind == Date && op == "-":
		return out.as("to_microseconds(("+l.sql+" - "+rv.sql+") * 86400000000)", simple(DayTimeInterval)), true, nil
	case op == "-":
		both, _, err := r.unify(op, []value{l, rv})
		if err != nil {
			return value{}, true, mismatch(op, l.typ, rv.typ)
		}
		return out.as("to_microseconds(epoch_us("+both[0].sql+") - epoch_us("+both[1].sql+"))", simple(DayTimeInterval)), true, nil
	}
	return value{}, true, mismatch(op, l.typ, rv.typ)
}

// addInterval adds an interval to a date or timestamp. In Spark the whole days of a day-time interval are calendar
// days of the session's zone, even when they were written as hours.
func (r *Rewriter) addInterval(op string, l, rv value) (value, error) {
	out := merge(l, rv)
	switch {
	case l.typ.interval():
		if l.typ.Kind != rv.typ.Kind {
			return value{}, mismatch(op, l.typ, rv.typ)
		}
		return out.as("("+l.sql+" "+op+" "+rv.sql+")", l.typ), nil
	case l.typ.Kind == Date && rv.typ.Kind == YearMonthInterval:
		return out.as("CAST(("+l.sql+" "+op+" "+rv.sql+") AS DATE)", simple(Date)), nil
	case l.typ.Kind == Date:
		at, err := r.castTo(l, simple(Timestamp), false)
		if err != nil {
			return value{}, err
		}
		return r.addInterval(op, at, rv)
	case l.typ.Kind == TimestampNTZ:
		return out.as("("+l.sql+" "+op+" "+rv.sql+")", l.typ), nil
	case l.typ.Kind != Timestamp:
		return value{}, mismatch(op, l.typ, rv.typ)
	}
	if _, fixed := fixedOffset(r.zone); r.zone.String() == "UTC" || fixed && rv.typ.Kind == DayTimeInterval {
		return out.as("("+l.sql+" "+op+" "+rv.sql+")", l.typ), nil
	}
	local := r.toLocal(l.sql)
	if rv.typ.Kind == YearMonthInterval {
		return out.as(r.toInstant("("+local+" "+op+" "+rv.sql+")"), l.typ), nil
	}
	micros := "epoch_us(TIMESTAMP '1970-01-01 00:00:00' + " + rv.sql + ")"
	days := "to_days(CAST(" + micros + " // 86400000000 AS INTEGER))"
	rest := "to_microseconds(" + micros + " % 86400000000)"
	return out.as("("+r.toInstant("("+local+" "+op+" "+days+")")+" "+op+" "+rest+")", l.typ), nil
}

// truncTime prints date_trunc for a unit.
func (r *Rewriter) truncTime(unit string, v value) (value, error) {
	names := map[string]string{"MICROSECOND": "microseconds", "MILLISECOND": "milliseconds", "SECOND": "second", "MINUTE": "minute",
		"HOUR": "hour", "DAY": "day", "DD": "day", "WEEK": "week", "MONTH": "month", "MON": "month", "MM": "month",
		"QUARTER": "quarter", "YEAR": "year", "YYYY": "year", "YY": "year"}
	name, ok := names[unit]
	if !ok {
		return v.as("CAST(NULL AS TIMESTAMP)", v.typ), nil
	}
	local := v.sql
	if v.typ.Kind == Timestamp {
		local = r.toLocal(v.sql)
	}
	sql := "date_trunc('" + name + "', " + local + ")"
	if v.typ.Kind != Timestamp || local == v.sql {
		return v.as(sql, v.typ), nil
	}
	switch name {
	case "microseconds", "milliseconds", "second", "minute", "hour":
		// Within an hour the offset does not change: truncate on the wall clock and go back by the same offset, so that a
		// repeated hour keeps its two instants.
		return v.as("("+sql+" - ("+local+" - "+v.sql+"))", v.typ), nil
	}
	return v.as(r.toInstant(sql), v.typ), nil
}
