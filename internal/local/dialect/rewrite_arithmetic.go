package dialect

import "strings"

// arithmetic prints + - * / % and DIV with Spark's result type.
func (r *Rewriter) arithmetic(op string, l, rv value) (value, error) {
	if v, ok, err := r.timeArithmetic(op, l, rv); ok || err != nil {
		return v, err
	}
	l, rv, err := r.numbers(op, l, rv)
	if err != nil {
		return value{}, err
	}
	switch op {
	case "DIV":
		return r.div(l, rv)
	case "/":
		return r.divide(l, rv)
	}
	if l.typ.Kind == Decimal && rv.typ.Kind == Decimal {
		return r.decimalArithmetic(op, l, rv)
	}
	if op == "%" {
		return r.remainder(l, rv)
	}
	return merge(l, rv).as("("+l.sql+" "+op+" "+rv.sql+")", l.typ), nil
}

// numbers brings both operands to one numeric type; decimals keep their own precision.
func (r *Rewriter) numbers(op string, l, rv value) (value, value, error) {
	other := func(t Type) Type {
		if t.Kind == Void {
			return simple(Double)
		}
		return t
	}
	if l.typ.Kind == String || l.typ.Kind == Void {
		t, ok := commonType(l.typ, other(rv.typ))
		if rv.typ.Kind == String {
			t, ok = simple(Double), true
		}
		if !ok {
			return l, rv, mismatch(op, l.typ, rv.typ)
		}
		v, err := r.castTo(l, t, false)
		if err != nil {
			return l, rv, err
		}
		l = v
	}
	if rv.typ.Kind == String || rv.typ.Kind == Void {
		t, ok := commonType(rv.typ, l.typ)
		if !ok {
			return l, rv, mismatch(op, l.typ, rv.typ)
		}
		v, err := r.castTo(rv, t, false)
		if err != nil {
			return l, rv, err
		}
		rv = v
	}
	if !l.typ.numeric() || !rv.typ.numeric() {
		return l, rv, mismatch(op, l.typ, rv.typ)
	}
	if (l.typ.Kind == Decimal || rv.typ.Kind == Decimal) && !l.typ.approximate() && !rv.typ.approximate() {
		l, err := r.inDecimal(l)
		if err != nil {
			return l, rv, err
		}
		rv, err = r.inDecimal(rv)
		return l, rv, err
	}
	both, _, err := r.unify(op, []value{l, rv})
	if err != nil {
		return l, rv, err
	}
	return both[0], both[1], nil
}

// inDecimal turns an integer into a decimal: a literal into one of just its digits.
func (r *Rewriter) inDecimal(v value) (value, error) {
	if v.typ.Kind == Decimal {
		return v, nil
	}
	if v.lit != nil {
		return r.castTo(v, decimalOf(v.lit.text), false)
	}
	return r.castTo(v, v.typ.asDecimal(), false)
}

// div is integer division toward zero; its result is a bigint for every operand.
func (r *Rewriter) div(l, rv value) (value, error) {
	if l.typ.approximate() {
		return value{}, mismatch("div", l.typ, rv.typ)
	}
	if l.typ.Kind == Decimal || rv.typ.Kind == Decimal {
		return r.divDecimal(l, rv)
	}
	both, err := r.castAll([]value{l, rv}, simple(BigInt))
	if err != nil {
		return value{}, err
	}
	return r.guarded("wt_div", "//", both[0], both[1], rv, simple(BigInt)), nil
}

// divDecimal brings both decimals to one scale and divides the digits.
func (r *Rewriter) divDecimal(l, rv value) (value, error) {
	scale := max(l.typ.Scale, rv.typ.Scale)
	digits := max(l.typ.Precision-l.typ.Scale, rv.typ.Precision-rv.typ.Scale) + scale
	if digits > 38 {
		return value{}, refuse("DIV between %s and %s", l.typ, rv.typ)
	}
	unscaled := func(v value) (value, error) {
		w, err := r.castTo(v, decimalType(digits, scale), false)
		return w.as(unscaledSQL(w), v.typ), err
	}
	a, err := unscaled(l)
	if err != nil {
		return value{}, err
	}
	b, err := unscaled(rv)
	if err != nil {
		return value{}, err
	}
	out := merge(l, rv)
	out.volatile = true
	return out.as("CAST(wt_div("+a.sql+", "+b.sql+") AS BIGINT)", simple(BigInt)), nil
}

// unscaledSQL prints the digits of a decimal as a HUGEINT. A product would become a double in DuckDB, so the point is
// dropped from the text.
func unscaledSQL(v value) string {
	if v.typ.Kind != Decimal || v.typ.Scale == 0 {
		return "CAST(" + v.sql + " AS HUGEINT)"
	}
	return "CAST(replace(CAST(" + v.sql + " AS VARCHAR), '.', '') AS HUGEINT)"
}

// guarded prints a division whose divisor may be zero through a macro that raises Spark's error; a literal that is
// not zero needs none.
func (r *Rewriter) guarded(macro, op string, l, rv, divisor value, t Type) value {
	out := merge(l, rv)
	if divisor.lit != nil && strings.Trim(divisor.lit.text, "-0.") != "" {
		return out.as("("+l.sql+" "+op+" "+rv.sql+")", t)
	}
	out.volatile = true
	return out.as(macro+"("+l.sql+", "+rv.sql+")", t)
}

func (r *Rewriter) remainder(l, rv value) (value, error) {
	return r.guarded("wt_mod", "%", l, rv, rv, l.typ), nil
}

// divide is /: integers and doubles give a double, decimals a decimal.
func (r *Rewriter) divide(l, rv value) (value, error) {
	if l.typ.Kind == Decimal && rv.typ.Kind == Decimal {
		return r.divideDecimal(l, rv)
	}
	both, err := r.castAll([]value{l, rv}, simple(Double))
	if err != nil {
		return value{}, err
	}
	return r.guarded("wt_divide", "/", both[0], both[1], rv, simple(Double)), nil
}

// divideDecimal divides the digits and rounds half up.
func (r *Rewriter) divideDecimal(l, rv value) (value, error) {
	p1, s1, p2, s2 := l.typ.Precision, l.typ.Scale, rv.typ.Precision, rv.typ.Scale
	scale := max(6, s1+p2+1)
	t := bounded(p1-s1+s2+scale, scale)
	shift := t.Scale - s1 + s2
	if p1+max(shift, 0) > 37 || shift < 0 {
		return value{}, refuse("a division of %s by %s", l.typ, rv.typ)
	}
	out := merge(l, rv)
	out.volatile = true
	return out.as("wt_divide_decimal("+unscaledSQL(l)+" * CAST('1"+strings.Repeat("0", shift)+"' AS HUGEINT), "+unscaledSQL(rv)+", "+
		integerText(int64(t.Scale))+")::"+t.Duck(), t), nil
}

// decimalArithmetic is + - * % between decimals, in Spark's result type.
func (r *Rewriter) decimalArithmetic(op string, l, rv value) (value, error) {
	p1, s1, p2, s2 := l.typ.Precision, l.typ.Scale, rv.typ.Precision, rv.typ.Scale
	var t Type
	switch op {
	case "+", "-":
		s := max(s1, s2)
		t = bounded(max(p1-s1, p2-s2)+s+1, s)
	case "*":
		t = bounded(p1+p2+1, s1+s2)
		if s1+s2 > 38 {
			return value{}, refuse("a product of %s and %s", l.typ, rv.typ)
		}
		return merge(l, rv).as("CAST(("+l.sql+" * "+rv.sql+") AS "+t.Duck()+")", t), nil
	default:
		s := max(s1, s2)
		t = bounded(min(p1-s1, p2-s2)+s, s)
		wide := bounded(max(p1-s1, p2-s2)+s, s)
		both, err := r.castAll([]value{l, rv}, wide)
		if err != nil {
			return value{}, err
		}
		v := r.guarded("wt_mod", "%", both[0], both[1], rv, wide)
		return v.as("CAST("+v.sql+" AS "+t.Duck()+")", t), nil
	}
	both, err := r.castAll([]value{l, rv}, t)
	if err != nil {
		return value{}, err
	}
	return merge(both...).as("CAST(("+both[0].sql+" "+op+" "+both[1].sql+") AS "+t.Duck()+")", t), nil
}
