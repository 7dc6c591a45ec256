package contract

import (
	"fmt"
	"strings"
)

// Table is a complete table name.
type Table struct{ Catalog, Schema, Name string }

// TableError is a text that names no table.
type TableError struct{ Value, Reason, Hint string }

// Error names the value, the reason and the remedy.
func (e *TableError) Error() string {
	return fmt.Sprintf("table %q: %s; %s", e.Value, e.Reason, e.Hint)
}

// ParseTable reads catalog.schema.table; a part with a dot or a space in it stands in backticks. A fault is a *TableError.
func ParseTable(name string) (Table, error) {
	const hint = "write catalog.schema.table, such as main.events.messages"
	if name == "" {
		return Table{}, &TableError{name, "is empty", hint}
	}
	parts, ok := splitName(name)
	if !ok {
		return Table{}, &TableError{name, "has a part that is empty, has a space, slash or control character in it, or whose backtick is not closed", hint}
	}
	if len(parts) != 3 {
		return Table{}, &TableError{name, fmt.Sprintf("has %d of three parts", len(parts)), hint}
	}
	return Table{parts[0], parts[1], parts[2]}, nil
}

// SQL quotes each part with backticks.
func (t Table) SQL() string { return Quote(t.Catalog) + "." + Quote(t.Schema) + "." + Quote(t.Name) }

// String joins the parts, quoting only one that needs it: ParseTable reads it back.
func (t Table) String() string {
	parts := []string{t.Catalog, t.Schema, t.Name}
	for i, p := range parts {
		if strings.ContainsAny(p, ".`") {
			parts[i] = Quote(p)
		}
	}
	return strings.Join(parts, ".")
}

// Is tells that two names mean one table: Unity Catalog does not tell upper from lower case.
func (t Table) Is(other Table) bool {
	return strings.EqualFold(t.Catalog, other.Catalog) && strings.EqualFold(t.Schema, other.Schema) && strings.EqualFold(t.Name, other.Name)
}

// FullName joins the parts with dots, as the Unity Catalog API names the table.
func (t Table) FullName() string { return t.Catalog + "." + t.Schema + "." + t.Name }

// Quote writes an identifier in backticks.
func Quote(identifier string) string { return "`" + strings.ReplaceAll(identifier, "`", "``") + "`" }

// splitName cuts a name at its dots; false when a part is no name of a Unity Catalog object.
func splitName(name string) ([]string, bool) {
	var parts []string
	for rest := name; ; {
		part, after, ok := cutPart(rest)
		// Unity Catalog refuses these in object names, quoted or not.
		if !ok || part == "" || len(part) > longestName || strings.ContainsFunc(part, func(r rune) bool { return r <= ' ' || strings.ContainsRune("/\x7f\uFFFD\u00a0", r) }) {
			return nil, false
		}
		parts = append(parts, part)
		if after == "" {
			return parts, true
		}
		if after[0] != '.' {
			return nil, false
		}
		rest = after[1:]
	}
}

func cutPart(text string) (part, rest string, ok bool) {
	if !strings.HasPrefix(text, "`") {
		if i := strings.IndexByte(text, '.'); i >= 0 {
			part, rest = text[:i], text[i:]
		} else {
			part = text
		}
		// A quote, a semicolon or a brace outside of backticks is a mistake, as in ${var.table}.
		return part, rest, !strings.ContainsAny(part, "`'\";,(){}$=*?")
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] != '`':
			b.WriteByte(text[i])
		case i+1 < len(text) && text[i+1] == '`':
			b.WriteByte('`')
			i++
		default:
			return b.String(), text[i+1:], true
		}
	}
	return "", "", false
}
