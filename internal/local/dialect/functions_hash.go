package dialect

import "strings"

func hashFunctions() map[string]function {
	return map[string]function{"xxhash64": {1, -1, xxhash64}, "hex": {1, 1, hex}}
}

// xxhash64 is a function that the engine defines with Spark's results. Spark takes only its own types apart from DuckDB's by
// the width of decimals.
func xxhash64(_ *Rewriter, i invocation) (value, error) {
	var args []string
	for _, a := range i.args {
		if a.typ.approximate() || a.typ.nested() || a.typ.interval() {
			return value{}, refuse("xxhash64 of %s", a.typ)
		}
		args = append(args, "CAST("+a.sql+" AS "+a.typ.Duck()+")")
	}
	return merge(i.args...).as("wt_xxhash64("+strings.Join(args, ", ")+")", simple(BigInt)), nil
}

// hex of a binary or a text writes its bytes, two digits each.
func hex(_ *Rewriter, i invocation) (value, error) {
	v := i.args[0]
	if v.typ.Kind != Binary && v.typ.Kind != String {
		return value{}, refuse("hex of %s", v.typ)
	}
	return v.as("hex("+v.sql+")", simple(String)), nil
}
