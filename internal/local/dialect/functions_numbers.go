package dialect

import "strings"

func numberFunctions() map[string]function {
	double := func(name string, n int) function { return simpleFunction(name, Double, Double, n, n) }
	return map[string]function{
		"abs": {1, 1, absolute}, "ceil": {1, 1, rounding("ceil")}, "ceiling": {1, 1, rounding("ceil")}, "floor": {1, 1, rounding("floor")},
		"round": {1, 2, round}, "pmod": {2, 2, positiveModulo},
		"mod": {2, 2, operator("%")}, "sqrt": double("sqrt", 1), "power": double("pow", 2), "pow": double("pow", 2),
		"exp": double("exp", 1), "greatest": {2, -1, ofOneType("greatest")}, "least": {2, -1, ofOneType("least")},
		"coalesce": {1, -1, ofOneType("coalesce")}, "nvl": {2, 2, ofOneType("coalesce")}, "ifnull": {2, 2, ofOneType("coalesce")},
		"nullif": {2, 2, nullIf}, "nvl2": {3, 3, nullChoice}, "if": {3, 3, ifChoice}, "iff": {3, 3, ifChoice},
		"isnull": {1, 1, nullTest("IS NULL")}, "isnotnull": {1, 1, nullTest("IS NOT NULL")},
		"try_add": {2, 2, tried("+")}, "try_subtract": {2, 2, tried("-")}, "try_multiply": {2, 2, tried("*")}, "try_divide": {2, 2, tried("/")},
		"div": {2, 2, operator("DIV")},
	}
}

func absolute(r *Rewriter, i invocation) (value, error) {
	v := i.args[0]
	if v.typ.Kind == String {
		w, err := r.castTo(v, simple(Double), false)
		if err != nil {
			return v, err
		}
		v = w
	}
	if !v.typ.numeric() {
		return v, mismatch("abs", v.typ)
	}
	return v.as("abs("+v.sql+")", v.typ), nil
}

func rounding(name string) func(*Rewriter, invocation) (value, error) {
	return func(r *Rewriter, i invocation) (value, error) {
		v := i.args[0]
		switch {
		case v.typ.integral():
			return r.castTo(v, simple(BigInt), false)
		case v.typ.approximate():
			return typed(name+"("+v.sql+")", simple(BigInt), v), nil
		case v.typ.Kind == Decimal:
			t := bounded(v.typ.Precision-v.typ.Scale+1, 0)
			return typed(name+"("+v.sql+")", t, v), nil
		}
		return v, mismatch(name, v.typ)
	}
}

func round(_ *Rewriter, i invocation) (value, error) {
	v, digits := i.args[0], "0"
	if len(i.args) == 2 {
		l := i.args[1].lit
		if l == nil || !l.typ.integral() || strings.HasPrefix(l.text, "-") {
			return value{}, refuse("round to a number of digits that is no positive literal")
		}
		digits = l.text
	}
	switch {
	case v.typ.integral():
		return v, nil
	case v.typ.Kind == Double || v.typ.Kind == Float:
		return typed("round("+v.sql+", "+digits+")", v.typ, v), nil
	case v.typ.Kind == Decimal && len(digits) < 3:
		scale := min(v.typ.Scale, int(digits[0]-'0'))
		if len(digits) == 2 {
			scale = v.typ.Scale
		}
		t := decimalType(v.typ.Precision-v.typ.Scale+scale+1, scale)
		if t.Precision > 38 {
			return value{}, refuse("round of %s", v.typ)
		}
		return typed(v.sql, t, v), nil
	}
	return v, mismatch("round", v.typ)
}

func positiveModulo(r *Rewriter, i invocation) (value, error) {
	l, rv, err := r.numbers("pmod", i.args[0], i.args[1])
	if err != nil {
		return value{}, err
	}
	if !l.typ.integral() {
		return value{}, refuse("pmod of %s", l.typ)
	}
	inner := r.guarded("wt_mod", "%", l, rv, i.args[1], l.typ)
	return inner.as("CASE WHEN "+inner.sql+" < 0 THEN ("+inner.sql+" + "+rv.sql+") % "+rv.sql+" ELSE "+inner.sql+" END", l.typ), nil
}

func operator(op string) func(*Rewriter, invocation) (value, error) {
	return func(r *Rewriter, i invocation) (value, error) { return r.arithmetic(op, i.args[0], i.args[1]) }
}

func ofOneType(name string) func(*Rewriter, invocation) (value, error) {
	return func(r *Rewriter, i invocation) (value, error) { return r.sameType(name, i.args) }
}

func nullIf(r *Rewriter, i invocation) (value, error) {
	eq, err := r.compare("=", i.args[0], i.args[1])
	if err != nil {
		return value{}, err
	}
	return eq.as("CASE WHEN "+eq.sql+" THEN NULL ELSE "+i.args[0].sql+" END", i.args[0].typ), nil
}

func nullChoice(r *Rewriter, i invocation) (value, error) {
	vs, t, err := r.unify("nvl2", i.args[1:])
	if err != nil {
		return value{}, err
	}
	return merge(i.args...).as("CASE WHEN "+i.args[0].sql+" IS NOT NULL THEN "+vs[0].sql+" ELSE "+vs[1].sql+" END", t), nil
}

func ifChoice(r *Rewriter, i invocation) (value, error) {
	c, err := r.castTo(i.args[0], simple(Boolean), false)
	if err != nil {
		return value{}, err
	}
	vs, t, err := r.unify("if", i.args[1:])
	if err != nil {
		return value{}, err
	}
	return merge(i.args...).as("CASE WHEN "+c.sql+" THEN "+vs[0].sql+" ELSE "+vs[1].sql+" END", t), nil
}

func nullTest(test string) func(*Rewriter, invocation) (value, error) {
	return func(_ *Rewriter, i invocation) (value, error) {
		return i.args[0].as("("+i.args[0].sql+" "+test+")", simple(Boolean)), nil
	}
}

// tried is a try_ function: NULL where the operator overflows or divides by zero.
func tried(op string) func(*Rewriter, invocation) (value, error) {
	return func(r *Rewriter, i invocation) (value, error) {
		for _, v := range i.args {
			if v.volatile {
				return value{}, refuse("a %s of an expression that can fail itself", i.name)
			}
		}
		args := append([]value(nil), i.args...)
		if op == "/" {
			// A zero divisor becomes NULL, which needs no guard of its own.
			args[1] = args[1].as("nullif("+args[1].sql+", 0)", args[1].typ)
			if args[0].typ.integral() && args[1].typ.integral() {
				both, err := r.castAll(args, simple(Double))
				if err != nil {
					return value{}, err
				}
				return merge(both...).as("("+both[0].sql+" / "+both[1].sql+")", simple(Double)), nil
			}
			if args[0].typ.Kind == Decimal || args[1].typ.Kind == Decimal {
				return value{}, refuse("try_divide of decimals")
			}
		}
		v, err := r.arithmetic(op, args[0], args[1])
		if err != nil || v.volatile {
			if err == nil {
				v, err = r.tryDouble(op, args)
			}
			return v, err
		}
		return v.as("TRY("+v.sql+")", v.typ), nil
	}
}

func (r *Rewriter) tryDouble(op string, args []value) (value, error) {
	both, err := r.castAll(args, simple(Double))
	if err != nil {
		return value{}, err
	}
	return merge(both...).as("("+both[0].sql+" "+op+" "+both[1].sql+")", simple(Double)), nil
}
