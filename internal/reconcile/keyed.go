package reconcile

import (
	"fmt"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
)

// KeyKind is what a key column holds. Values of different kinds are never compared.
type KeyKind int

// The kinds of key columns.
const (
	KeyWhole   KeyKind = iota + 1 // TINYINT to BIGINT, compared as BIGINT, which changes no value
	KeyText                       // STRING, VARCHAR and CHAR, by their bytes
	KeyDecimal                    // of one precision and scale
	KeyBoolean
	KeyDate
	KeyInstant // TIMESTAMP
	KeyLocal   // TIMESTAMP_NTZ
	KeyBinary
)

// KeyColumn is a column of a key that is compared by its columns.
type KeyColumn struct {
	// Name is as the contract writes it, SQL quoted; a nested field has dots in both.
	Name, SQL string
	Kind      KeyKind
	// Type is Spark's spelling.
	Type string
}

// NewKeyColumn makes a key column of a type; false for a type that makes no key.
func NewKeyColumn(name, sql, kind string) (KeyColumn, bool) {
	c := KeyColumn{Name: name, SQL: sql, Type: strings.ToLower(strings.Join(strings.Fields(kind), ""))}
	switch {
	case c.Type == "tinyint", c.Type == "smallint", c.Type == "int", c.Type == "integer", c.Type == "bigint", c.Type == "byte", c.Type == "short", c.Type == "long":
		c.Kind = KeyWhole
	case c.Type == "string", strings.HasPrefix(c.Type, "varchar("), strings.HasPrefix(c.Type, "char("):
		c.Kind = KeyText
	case strings.HasPrefix(c.Type, "decimal"):
		c.Kind = KeyDecimal
	case c.Type == "boolean":
		c.Kind = KeyBoolean
	case c.Type == "date":
		c.Kind = KeyDate
	case c.Type == "timestamp":
		c.Kind = KeyInstant
	case c.Type == "timestamp_ntz":
		c.Kind = KeyLocal
	case c.Type == "binary":
		c.Kind = KeyBinary
	}
	return c, c.Kind != 0
}

// Compares reports whether the values of two columns can be compared as they are: whole numbers of any width can, and
// texts unless one of them is padded to another length.
func (c KeyColumn) Compares(o KeyColumn) bool {
	switch {
	case c.Kind != o.Kind:
		return false
	case c.Kind == KeyDecimal, strings.HasPrefix(c.Type, "char("), strings.HasPrefix(o.Type, "char("):
		return c.Type == o.Type
	}
	return true
}

// FieldType is the type of a field inside a struct, as struct<a:int,b:struct<c:string>>; false when there is none.
func FieldType(kind string, path []string) (string, bool) {
	for _, name := range path {
		inner, ok := strings.CutPrefix(strings.TrimSpace(kind), "struct<")
		if !ok || !strings.HasSuffix(inner, ">") {
			return "", false
		}
		if kind, ok = field(strings.TrimSuffix(inner, ">"), name); !ok {
			return "", false
		}
	}
	return kind, true
}

// field finds a field among those of a struct.
func field(fields, name string) (string, bool) {
	for len(fields) > 0 {
		one, rest := cutOutside(fields, ',')
		called, kind, ok := strings.Cut(one, ":")
		if ok && strings.EqualFold(strings.Trim(strings.TrimSpace(called), "`"), name) {
			kind, _ = cutOutside(strings.TrimSpace(kind), ' ') // NOT NULL, COMMENT
			return kind, true
		}
		fields = rest
	}
	return "", false
}

// cutOutside cuts a text at the first separator that is in no brackets and in no quotes.
func cutOutside(text string, separator rune) (before, after string) {
	depth, quoted := 0, false
	for i, r := range text {
		switch {
		case r == '\'':
			quoted = !quoted
		case quoted:
		case r == '<', r == '(':
			depth++
		case r == '>', r == ')':
			depth--
		case r == separator && depth == 0:
			return text[:i], text[i+1:]
		}
	}
	return text, ""
}

// KeyValue is the value of a key column, written for people: instants in UTC to the microsecond, bytes as hexadecimal digits.
type KeyValue struct {
	Text string
	Null bool
}

// KeyText writes a key as evidence names it: an object, one member for each column in order.
func (k Keys) KeyText(values []KeyValue) string {
	var b strings.Builder
	for i, v := range values {
		b.WriteString([]string{"{", ","}[min(i, 1)])
		fmt.Fprintf(&b, "%s:", jsonText(k.Key[i].Name))
		if v.Null {
			b.WriteString("null")
		} else {
			b.WriteString(jsonText(v.Text))
		}
	}
	return b.String() + "}"
}

// hasNull reports whether a part of the key is null.
func hasNull(key []KeyValue) bool {
	for _, v := range key {
		if v.Null {
			return true
		}
	}
	return false
}

// literal writes a value in the column's type.
func (c KeyColumn) literal(v KeyValue) string {
	kind := map[KeyKind]string{KeyWhole: "BIGINT", KeyText: "STRING", KeyDecimal: c.Type, KeyBoolean: "BOOLEAN", KeyDate: "DATE", KeyInstant: "TIMESTAMP", KeyLocal: "TIMESTAMP_NTZ", KeyBinary: "BINARY"}[c.Kind]
	switch {
	case v.Null:
		return "CAST(NULL AS " + kind + ")"
	case c.Kind == KeyText:
		return contract.QuoteText(v.Text)
	case c.Kind == KeyBinary:
		return "X'" + v.Text + "'"
	case c.Kind == KeyDate, c.Kind == KeyLocal:
		return kind + contract.QuoteText(v.Text)
	case c.Kind == KeyInstant:
		return kind + contract.QuoteText(strings.TrimSuffix(v.Text, "Z")+"+00:00")
	}
	return "CAST(" + contract.QuoteText(v.Text) + " AS " + kind + ")"
}

const keyInstantLayout = "2006-01-02T15:04:05.000000Z"

// keyValue reads a value as statements print it.
func (c KeyColumn) keyValue(r *reader) KeyValue {
	if c.Kind == KeyInstant {
		micros := r.optional()
		if micros == nil {
			return KeyValue{Null: true}
		}
		return KeyValue{Text: time.UnixMicro(*micros).UTC().Format(keyInstantLayout)}
	}
	t := r.text()
	if t == nil {
		return KeyValue{Null: true}
	}
	return KeyValue{Text: strings.Clone(*t)}
}

// printed writes a column as keyValue reads it.
func (c KeyColumn) printed(k string) string {
	switch c.Kind {
	case KeyInstant:
		return "unix_micros(" + k + ")"
	case KeyBinary:
		return "hex(" + k + ")"
	case KeyText:
		return k
	}
	return "CAST(" + k + " AS STRING)"
}
