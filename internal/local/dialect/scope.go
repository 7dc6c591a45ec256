package dialect

import (
	"fmt"
	"sort"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// value is an expression printed as DuckDB SQL of the DuckDB type of its Spark type.
type value struct {
	sql string
	typ Type
	// lit is set for a literal, whose type can be narrower in a decimal context.
	lit *literal
	// volatile says that the SQL may raise an error of its own, which DuckDB's TRY refuses.
	volatile bool
	// aggregate and window say what the SQL holds; generator that it yields rows.
	aggregate, window, generator bool
}

// column is a column in scope.
type column struct {
	name       string
	sql        string
	typ        Type
	qualifiers []string
	// hidden columns are found only when qualified: the two sides of a USING.
	hidden bool
}

// matches says whether the qualifier names the column's relation: its alias, or a tail of its table's name.
func (c column) matches(qualifier []string) bool {
	if len(qualifier) > len(c.qualifiers) {
		return false
	}
	tail := c.qualifiers[len(c.qualifiers)-len(qualifier):]
	for i, q := range qualifier {
		if !strings.EqualFold(q, tail[i]) {
			return false
		}
	}
	return true
}

// scope is what names mean at one place of a query.
type scope struct {
	columns []column
	parent  *scope
	// outputs are the select items so far, by lower case name, for GROUP BY, HAVING, ORDER BY and later items.
	outputs map[string]value
	// preferOutputs makes outputs win over columns, as in ORDER BY.
	preferOutputs bool
	windows       map[string]*window
	ctes          *cteScope
}

type cteScope struct {
	name    string
	sql     string
	columns []outColumn
	parent  *cteScope
}

func (c *cteScope) find(name string) *cteScope {
	for ; c != nil; c = c.parent {
		if strings.EqualFold(c.name, name) {
			return c
		}
	}
	return nil
}

// outColumn is a column of a printed query: name is Spark's, sqlName the unique one in the SQL.
type outColumn struct {
	name, sqlName string
	typ           Type
}

// lookup resolves a reference, field accesses included.
func (s *scope) lookup(ref *ColumnRef) (value, error) {
	for at := s; at != nil; at = at.parent {
		if at.preferOutputs && len(ref.Parts) == 1 {
			if v, ok := at.outputs[strings.ToLower(ref.Parts[0])]; ok {
				return v, nil
			}
		}
		v, ok, err := at.lookupHere(ref)
		if err != nil || ok {
			return v, err
		}
		if len(ref.Parts) == 1 {
			if v, ok := at.outputs[strings.ToLower(ref.Parts[0])]; ok {
				return v, nil
			}
		}
	}
	return value{}, s.unresolved(ref)
}

func (s *scope) lookupHere(ref *ColumnRef) (value, bool, error) {
	for k := min(len(ref.Parts)-1, 3); k >= 0; k-- {
		var found []column
		for _, c := range s.columns {
			if strings.EqualFold(c.name, ref.Parts[k]) && c.matches(ref.Parts[:k]) && (k > 0 || !c.hidden) {
				found = append(found, c)
			}
		}
		switch {
		case len(found) > 1:
			return value{}, false, NewError("AMBIGUOUS_REFERENCE", fmt.Sprintf("Reference %s is ambiguous, could be several columns.",
				quoteParts(ref.Parts)))
		case len(found) == 1:
			v := value{sql: found[0].sql, typ: found[0].typ}
			for _, name := range ref.Parts[k+1:] {
				f, err := fieldOf(v, name)
				if err != nil {
					return value{}, false, err
				}
				v = f
			}
			return v, true, nil
		}
	}
	return value{}, false, nil
}

func fieldOf(v value, name string) (value, error) {
	if v.typ.Kind != Struct {
		return value{}, NewError("INVALID_EXTRACT_BASE_FIELD_TYPE", "Can't extract a value from "+v.typ.String()+".")
	}
	for i, f := range v.typ.Fields {
		if strings.EqualFold(f, name) {
			return value{sql: "struct_extract(" + v.sql + ", " + textSQL(f) + ")", typ: v.typ.Elem[i], volatile: v.volatile,
				aggregate: v.aggregate, window: v.window}, nil
		}
	}
	return value{}, NewError("FIELD_NOT_FOUND", "No such struct field "+quoteSpark(name)+" in "+v.typ.String()+".")
}

func (s *scope) unresolved(ref *ColumnRef) *engine.Error {
	name := quoteParts(ref.Parts)
	var near []string
	for _, c := range s.columns {
		if !c.hidden {
			near = append(near, quoteSpark(c.name))
		}
	}
	at := fmt.Sprintf("A column, variable, or function parameter with name %s cannot be resolved.", name)
	if len(near) == 0 {
		return NewError("UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", at)
	}
	last := ref.Parts[len(ref.Parts)-1]
	sort.SliceStable(near, func(i, j int) bool { return distance(near[i], last) < distance(near[j], last) })
	return NewError("UNRESOLVED_COLUMN.WITH_SUGGESTION", at+" Did you mean one of the following? ["+
		strings.Join(near[:min(5, len(near))], ", ")+"].")
}

// distance is the number of edits between two names, without regard to case.
func distance(a, b string) int {
	x, y := []rune(strings.ToLower(strings.Trim(a, "`"))), []rune(strings.ToLower(b))
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			cost := diagonal
			if x[i] != y[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(y)]
}
