package maintenance

import (
	"slices"
	"strings"
	"unicode"
)

// reference is a name in a predicate that stands for a column: its parts, as messages.day.
type reference []string

// column is the part that names a column of the table; false and the whole name when none does.
func (r reference) column(columns []string) (string, bool) {
	for _, part := range r {
		if has(columns, part) {
			return part, true
		}
	}
	return strings.Join(r, "."), false
}

// references finds the columns that a predicate names. Keywords, functions, types and units of intervals are no columns;
// what stands in backticks always is one.
func references(predicate string) []reference {
	words := scan(predicate)
	var out []reference
	for i := 0; i < len(words); i++ {
		if !words[i].isName() {
			continue
		}
		begin := i
		r := reference{words[i].text}
		for i+2 < len(words) && words[i+1].text == "." && words[i+2].isName() {
			i += 2
			r = append(r, words[i].text)
		}
		if words[begin].kind == quotedWord || !isSyntax(words, begin, i) {
			out = append(out, r)
		}
	}
	return out
}

// isSyntax tells by its neighbours whether the name from begin to end is part of the language and no column.
func isSyntax(words []word, begin, end int) bool {
	before, after := at(words, begin-1), at(words, end+1)
	switch {
	case begin == end && slices.Contains(reserved(), strings.ToUpper(words[begin].text)):
		return true
	case after.text == "(": // a function, or a type with a length
		return true
	case after.kind == stringWord && begin == end: // DATE '2026-03-02'
		return true
	case before.kind == numberWord, before.kind == stringWord: // INTERVAL 7 DAYS
		return true
	case before.text == ":": // day::date
		return true
	case before.is("AS"), before.is("TO"): // CAST(day AS date), INTERVAL '1-2' YEAR TO MONTH
		return true
	}
	return after.is("FROM") // EXTRACT(day FROM at)
}

func reserved() []string {
	return []string{"ALL", "AND", "ANY", "AS", "BETWEEN", "CASE", "CAST", "CURRENT_CATALOG", "CURRENT_DATABASE", "CURRENT_DATE", "CURRENT_SCHEMA",
		"CURRENT_TIME", "CURRENT_TIMESTAMP", "CURRENT_TIMEZONE", "CURRENT_USER", "DISTINCT", "DIV", "ELSE", "END", "ESCAPE", "EXISTS", "FALSE", "FROM",
		"ILIKE", "IN", "INTERVAL", "IS", "LIKE", "LOCALTIMESTAMP", "NOT", "NULL", "OR", "REGEXP", "RLIKE", "SESSION_USER", "SOME", "THEN", "TO", "TRUE",
		"USER", "WHEN", "XOR"}
}

type wordKind int

const (
	symbol wordKind = iota
	plainWord
	quotedWord
	stringWord
	numberWord
)

type word struct {
	kind wordKind
	text string
}

func (w word) isName() bool { return w.kind == plainWord || w.kind == quotedWord }
func (w word) is(keyword string) bool {
	return w.kind == plainWord && strings.EqualFold(w.text, keyword)
}

func at(words []word, i int) word {
	if i < 0 || i >= len(words) {
		return word{}
	}
	return words[i]
}

// scan cuts a predicate into words. Its quotes are closed: Validate has seen to that.
func scan(text string) []word {
	var out []word
	runes := []rune(text)
	for i := 0; i < len(runes); {
		switch r := runes[i]; {
		case unicode.IsSpace(r):
			i++
		case r == '\'' || r == '"' || r == '`':
			w, next := quoted(runes, i)
			out, i = append(out, w), next
		case unicode.IsDigit(r):
			end := i
			for end < len(runes) && (isLetter(runes[end]) || runes[end] == '.') {
				end++
			}
			out, i = append(out, word{numberWord, string(runes[i:end])}), end
		case isLetter(r):
			end := i
			for end < len(runes) && isLetter(runes[end]) {
				end++
			}
			out, i = append(out, word{plainWord, string(runes[i:end])}), end
		default:
			out, i = append(out, word{symbol, string(r)}), i+1
		}
	}
	return out
}

func isLetter(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// quoted reads a string or a name in backticks that begins at i. In backticks a backtick is doubled, in strings a
// backslash escapes.
func quoted(runes []rune, i int) (word, int) {
	quote, kind := runes[i], stringWord
	if quote == '`' {
		kind = quotedWord
	}
	var b strings.Builder
	for i++; i < len(runes); i++ {
		switch r := runes[i]; {
		case r == '\\' && quote != '`' && i+1 < len(runes):
			i++
			b.WriteRune(runes[i])
		case r == quote && i+1 < len(runes) && runes[i+1] == quote:
			i++
			b.WriteRune(r)
		case r == quote:
			return word{kind, b.String()}, i + 1
		default:
			b.WriteRune(r)
		}
	}
	return word{kind, b.String()}, i
}
