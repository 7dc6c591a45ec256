package dialect

import (
	"fmt"
	"strings"
)

// Kind is the family of a Spark type.
type Kind int

// The kinds of Spark types.
const (
	Void Kind = iota
	Boolean
	TinyInt
	SmallInt
	Int
	BigInt
	Decimal
	Float
	Double
	String
	Binary
	Date
	Timestamp
	TimestampNTZ
	DayTimeInterval
	YearMonthInterval
	Array
	Map
	Struct
)

//nolint:gochecknoglobals // a table that is only read; Go has no constant maps
var kindNames = map[Kind]string{Void: "void", Boolean: "boolean", TinyInt: "tinyint", SmallInt: "smallint",
	Int: "int", BigInt: "bigint", Float: "float", Double: "double", String: "string", Binary: "binary", Date: "date",
	Timestamp: "timestamp", TimestampNTZ: "timestamp_ntz", DayTimeInterval: "interval day to second",
	YearMonthInterval: "interval year to month"}

//nolint:gochecknoglobals // a table that is only read; Go has no constant maps
var duckNames = map[Kind]string{Void: "INTEGER", Boolean: "BOOLEAN", TinyInt: "TINYINT", SmallInt: "SMALLINT",
	Int: "INTEGER", BigInt: "BIGINT", Float: "FLOAT", Double: "DOUBLE", String: "VARCHAR", Binary: "BLOB", Date: "DATE",
	Timestamp: "TIMESTAMP", TimestampNTZ: "TIMESTAMP", DayTimeInterval: "INTERVAL", YearMonthInterval: "INTERVAL"}

// Type is a Spark SQL type.
type Type struct {
	Kind             Kind
	Precision, Scale int
	// Elem holds the element of an array, or key and value of a map, or the fields of a struct.
	Elem []Type
	// Fields names the fields of a struct.
	Fields []string
}

// String is Spark's spelling in lower case.
func (t Type) String() string {
	switch t.Kind {
	case Decimal:
		return fmt.Sprintf("decimal(%d,%d)", t.Precision, t.Scale)
	case Array:
		return "array<" + t.Elem[0].String() + ">"
	case Map:
		return "map<" + t.Elem[0].String() + "," + t.Elem[1].String() + ">"
	case Struct:
		parts := make([]string, len(t.Elem))
		for i, e := range t.Elem {
			parts[i] = t.Fields[i] + ":" + e.String()
		}
		return "struct<" + strings.Join(parts, ",") + ">"
	}
	return kindNames[t.Kind]
}

// Duck is the DuckDB type that holds it.
func (t Type) Duck() string {
	switch t.Kind {
	case Decimal:
		return fmt.Sprintf("DECIMAL(%d,%d)", t.Precision, t.Scale)
	case Array:
		return t.Elem[0].Duck() + "[]"
	case Map:
		return "MAP(" + t.Elem[0].Duck() + ", " + t.Elem[1].Duck() + ")"
	case Struct:
		parts := make([]string, len(t.Elem))
		for i, e := range t.Elem {
			parts[i] = quoteDuck(t.Fields[i]) + " " + e.Duck()
		}
		return "STRUCT(" + strings.Join(parts, ", ") + ")"
	}
	return duckNames[t.Kind]
}

// Equal says whether two types are the same.
func (t Type) Equal(o Type) bool { return t.String() == o.String() }

func (t Type) integral() bool { return t.Kind >= TinyInt && t.Kind <= BigInt }
func (t Type) numeric() bool  { return t.Kind >= TinyInt && t.Kind <= Double }
func (t Type) approximate() bool {
	return t.Kind == Float || t.Kind == Double
}
func (t Type) interval() bool { return t.Kind == DayTimeInterval || t.Kind == YearMonthInterval }
func (t Type) nested() bool   { return t.Kind >= Array }

// asDecimal is the decimal that holds every value of an integral type, as Spark widens it.
func (t Type) asDecimal() Type {
	digits := map[Kind]int{TinyInt: 3, SmallInt: 5, Int: 10, BigInt: 20}
	if d, ok := digits[t.Kind]; ok {
		return Type{Kind: Decimal, Precision: d}
	}
	return t
}

func simple(k Kind) Type           { return Type{Kind: k} }
func decimalType(p, s int) Type    { return Type{Kind: Decimal, Precision: p, Scale: s} }
func arrayOf(t Type) Type          { return Type{Kind: Array, Elem: []Type{t}} }
func mapOf(k, v Type) Type         { return Type{Kind: Map, Elem: []Type{k, v}} }
func quoteDuck(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
func quoteSpark(name string) string {
	return "`" + strings.ReplaceAll(name, "`", "``") + "`"
}

func quoteParts(parts []string) string {
	quoted := make([]string, len(parts))
	for i, p := range parts {
		quoted[i] = quoteSpark(p)
	}
	return strings.Join(quoted, ".")
}
