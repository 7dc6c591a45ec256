package dialect

import (
	"context"
	"fmt"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// invocation is a call with its arguments printed.
type invocation struct {
	*call
	args []value
}

// function is a scalar function: how many arguments it takes (max < 0 is any number), and how it is printed.
type function struct {
	min, max int
	build    func(r *Rewriter, i invocation) (value, error)
}

// call prints a call: an aggregate or window function, a generator, or one of the scalar functions. What is in none
// of the tables is refused by its name.
func (r *Rewriter) call(ctx context.Context, c *call, sc *scope) (value, error) {
	if c.name == "explode" {
		return value{}, NewError("UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS",
			"The generator is not supported: nested in expressions \""+prettyName(c)+"\".")
	}
	if a, ok := aggregates()[c.name]; ok {
		return r.aggregate(ctx, c, a, sc)
	}
	f, ok := scalarFunction(c.name)
	if !ok {
		return value{}, refuse("the function %s", c.name)
	}
	if c.over != nil || c.overName != "" || c.filter != nil || c.distinct || c.star {
		return value{}, NewError("INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX", "The function "+c.name+" is no aggregate or window function.")
	}
	args, err := r.exprs(ctx, c.args, sc)
	if err != nil {
		return value{}, err
	}
	if len(args) < f.min || f.max >= 0 && len(args) > f.max {
		return value{}, wrongArguments(c.name, len(args))
	}
	return f.build(r, invocation{call: c, args: args})
}

func wrongArguments(name string, n int) *engine.Error {
	return NewError("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", fmt.Sprintf("The %s cannot be called with %d arguments.", quoteSpark(name), n))
}

func scalarFunction(name string) (function, bool) {
	for _, table := range []map[string]function{textFunctions(), numberFunctions(), timeFunctions(), nestedFunctions(), sessionFunctions(), castFunctions(), hashFunctions()} {
		if f, ok := table[name]; ok {
			return f, true
		}
	}
	return function{}, false
}

// generator prints explode of an array, which yields a row an element.
func (r *Rewriter) generator(ctx context.Context, c *call, sc *scope) (value, error) {
	if len(c.args) != 1 {
		return value{}, wrongArguments(c.name, len(c.args))
	}
	v, err := r.expr(ctx, c.args[0], sc)
	if err != nil {
		return value{}, err
	}
	if v.typ.Kind != Array {
		return value{}, refuse("explode of %s", v.typ)
	}
	v = v.as("unnest("+v.sql+")", v.typ.Elem[0])
	v.generator = true
	return v, nil
}

// simpleFunction is DuckDB's function of that name over arguments of one type, its result cast to Spark's type.
func simpleFunction(name string, result, arg Kind, min, max int) function {
	return function{min: min, max: max, build: func(r *Rewriter, i invocation) (value, error) {
		args, err := r.castAll(i.args, simple(arg))
		if err != nil {
			return value{}, err
		}
		return typed(name+"("+sqlList(args)+")", simple(result), args...), nil
	}}
}

// typed prints a cast of what DuckDB types otherwise.
func typed(sql string, t Type, parts ...value) value {
	return merge(parts...).as("CAST("+sql+" AS "+t.Duck()+")", t)
}

func textFunctions() map[string]function {
	text := func(name string, min, max int) function { return simpleFunction(name, String, String, min, max) }
	length := simpleFunction("length", Int, String, 1, 1)
	return map[string]function{
		"length": {1, 1, lengthOf}, "len": {1, 1, lengthOf}, "char_length": length, "character_length": length,
		"octet_length": {1, 1, octetLength},
		"upper":        text("upper", 1, 1), "ucase": text("upper", 1, 1), "lower": text("lower", 1, 1), "lcase": text("lower", 1, 1),
		"trim": text("trim", 1, 1), "ltrim": text("ltrim", 1, 1), "rtrim": text("rtrim", 1, 1), "reverse": text("reverse", 1, 1),
		"replace": text("replace", 3, 3), "md5": text("md5", 1, 1),
		"startswith": simpleFunction("starts_with", Boolean, String, 2, 2), "endswith": simpleFunction("ends_with", Boolean, String, 2, 2),
		"contains": simpleFunction("contains", Boolean, String, 2, 2), "instr": simpleFunction("instr", Int, String, 2, 2),
		"substring": {2, 3, substring}, "substr": {2, 3, substring},
		"left": {2, 2, textAndNumber("left")}, "right": {2, 2, textAndNumber("right")}, "repeat": {2, 2, textAndNumber("repeat")},
		"lpad": {2, 3, pad("lpad")}, "rpad": {2, 3, pad("rpad")},
		"concat": {0, -1, func(r *Rewriter, i invocation) (value, error) {
			if len(i.args) == 0 {
				return value{sql: "''", typ: simple(String)}, nil
			}
			if i.args[0].typ.Kind == Array {
				return value{}, refuse("concat of arrays")
			}
			return r.concat(i.args)
		}},
		"concat_ws": {1, -1, func(r *Rewriter, i invocation) (value, error) {
			args, err := r.castAll(i.args, simple(String))
			if err != nil {
				return value{}, err
			}
			if len(args) == 1 {
				return args[0].as("CASE WHEN "+args[0].sql+" IS NOT NULL THEN '' END", simple(String)), nil
			}
			return merge(args...).as("concat_ws("+sqlList(args)+")", simple(String)), nil
		}},
		"sha2": {2, 2, func(r *Rewriter, i invocation) (value, error) {
			if l := i.args[1].lit; l == nil || l.text != "256" && l.text != "0" {
				return value{}, refuse("sha2 of other than 256 bits")
			}
			if i.args[0].typ.Kind == Binary {
				return i.args[0].as("sha256("+i.args[0].sql+")", simple(String)), nil
			}
			v, err := r.castTo(i.args[0], simple(String), false)
			return v.as("sha256("+v.sql+")", simple(String)), err
		}},
	}
}

func lengthOf(r *Rewriter, i invocation) (value, error) {
	if i.args[0].typ.Kind == Binary {
		return octetLength(r, i)
	}
	return simpleFunction("length", Int, String, 1, 1).build(r, i)
}

func octetLength(r *Rewriter, i invocation) (value, error) {
	if i.args[0].typ.Kind == Binary {
		return typed("octet_length("+i.args[0].sql+")", simple(Int), i.args...), nil
	}
	return simpleFunction("strlen", Int, String, 1, 1).build(r, i)
}

// substring counts a position of 0 as 1, as Spark does.
func substring(r *Rewriter, i invocation) (value, error) {
	s, err := r.castTo(i.args[0], simple(String), false)
	if err != nil {
		return value{}, err
	}
	numbers, err := r.castAll(i.args[1:], simple(BigInt))
	if err != nil {
		return value{}, err
	}
	if l := i.args[1].lit; l == nil || strings.HasPrefix(l.text, "-") {
		return value{}, refuse("substring from a position that is no positive literal")
	}
	at := numbers[0].sql
	if i.args[1].lit.text == "0" {
		at = "1"
	}
	sql := "substring(" + s.sql + ", " + at
	if len(numbers) > 1 {
		sql += ", greatest(" + numbers[1].sql + ", 0)"
	}
	return merge(i.args...).as(sql+")", simple(String)), nil
}

func textAndNumber(name string) func(*Rewriter, invocation) (value, error) {
	return func(r *Rewriter, i invocation) (value, error) {
		s, err := r.castTo(i.args[0], simple(String), false)
		if err != nil {
			return value{}, err
		}
		n, err := r.castTo(i.args[1], simple(BigInt), false)
		return merge(i.args...).as(name+"("+s.sql+", greatest("+n.sql+", 0))", simple(String)), err
	}
}

func pad(name string) func(*Rewriter, invocation) (value, error) {
	return func(r *Rewriter, i invocation) (value, error) {
		s, err := r.castTo(i.args[0], simple(String), false)
		if err != nil {
			return value{}, err
		}
		n, err := r.castTo(i.args[1], simple(Int), false)
		if err != nil {
			return value{}, err
		}
		fill := "' '"
		if len(i.args) == 3 {
			f, err := r.castTo(i.args[2], simple(String), false)
			if err != nil {
				return value{}, err
			}
			fill = f.sql
		}
		return merge(i.args...).as(name+"("+s.sql+", greatest("+n.sql+", 0), "+fill+")", simple(String)), nil
	}
}

func castFunctions() map[string]function {
	out := map[string]function{}
	for name, k := range map[string]Kind{"boolean": Boolean, "tinyint": TinyInt, "smallint": SmallInt, "int": Int, "bigint": BigInt,
		"float": Float, "double": Double, "string": String, "binary": Binary, "date": Date, "timestamp": Timestamp} {
		out[name] = function{1, 1, func(r *Rewriter, i invocation) (value, error) { return r.castTo(i.args[0], simple(k), false) }}
	}
	out["decimal"] = function{1, 1, func(r *Rewriter, i invocation) (value, error) { return r.castTo(i.args[0], decimalType(10, 0), false) }}
	return out
}
