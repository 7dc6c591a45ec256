package dialect

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokenKind is what a token is.
type tokenKind int

const (
	tokEnd tokenKind = iota
	tokSpace
	tokComment
	tokWord
	tokQuotedName
	tokString
	tokNumber
	tokMarker
	tokHint
	tokSymbol
	tokBad
)

// token is a stretch of the text. Joining the text of all tokens gives the statement back.
type token struct {
	kind tokenKind
	text string
	// value is the unescaped string or name, or the marker's name.
	value string
	pos   Pos
	// why says what is wrong with a bad token.
	why string
	// up is the text of a word in upper case, once the parser has it.
	up string
}

func (t token) upper() string {
	if t.up != "" {
		return t.up
	}
	return strings.ToUpper(t.text)
}

// symbols of more than one character, longest first.
//
//nolint:gochecknoglobals // a table that is only read; Go has no constant maps
var symbols = []string{"<=>", "->>", "<=", ">=", "<>", "!=", "==", "||", "&&", "<<", ">>", "->", "=>", "::"}

type lexer struct {
	text         string
	at           int
	line, column int
	last         token
}

// tokenize cuts text into tokens, spaces and comments included. It never fails: what it cannot read is a bad token.
func tokenize(text string) []token {
	l := &lexer{text: text, line: 1}
	out := make([]token, 0, len(text)/3+1)
	for l.at < len(l.text) {
		t := l.next()
		out = append(out, t)
		if t.kind != tokSpace && t.kind != tokComment {
			l.last = t
		}
	}
	return append(out, token{kind: tokEnd, pos: l.pos()})
}

func (l *lexer) pos() Pos { return Pos{Offset: l.at, Line: l.line, Column: l.column} }

// cut ends a token of n bytes.
func (l *lexer) cut(kind tokenKind, n int) token {
	t := token{kind: kind, text: l.text[l.at : l.at+n], pos: l.pos()}
	for _, r := range t.text {
		if r == '\n' {
			l.line++
			l.column = 0
		} else {
			l.column++
		}
	}
	l.at += n
	return t
}

func (l *lexer) next() token {
	rest := l.text[l.at:]
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case unicode.IsSpace(r):
		n := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsSpace(r) })
		if n < 0 {
			n = len(rest)
		}
		return l.cut(tokSpace, n)
	case strings.HasPrefix(rest, "--"):
		n := strings.IndexByte(rest, '\n')
		if n < 0 {
			n = len(rest)
		}
		return l.cut(tokComment, n)
	case strings.HasPrefix(rest, "/*"):
		return l.blockComment(rest)
	case r == '\'' || r == '"':
		return l.quoted(rest)
	case (r == 'r' || r == 'R') && len(rest) > 1 && (rest[1] == '\'' || rest[1] == '"'):
		return l.raw(rest)
	case r == '`':
		return l.backtick(rest)
	case r >= '0' && r <= '9', r == '.' && len(rest) > 1 && isDigit(rest[1]) && !l.afterName():
		return l.number(rest)
	case r == ':' && len(rest) > 1 && isWordStart(rune(rest[1])) && l.markerMayStart():
		n := 1 + wordLength(rest[1:])
		t := l.cut(tokMarker, n)
		t.value = t.text[1:]
		return t
	case isWordStart(r):
		return l.cut(tokWord, wordLength(rest))
	}
	for _, s := range symbols {
		if strings.HasPrefix(rest, s) {
			return l.cut(tokSymbol, len(s))
		}
	}
	if strings.ContainsRune("()[]{}<>,.;+-*/%=!|&^~?:@", r) {
		return l.cut(tokSymbol, size)
	}
	t := l.cut(tokBad, size)
	t.why = "unexpected character"
	return t
}

// afterName says that a dot here separates the parts of a name rather than starting a number.
func (l *lexer) afterName() bool {
	return l.at > 0 && (l.last.kind == tokWord || l.last.kind == tokQuotedName || l.last.text == ")" || l.last.text == "]") &&
		l.last.pos.Offset+len(l.last.text) == l.at
}

// markerMayStart keeps struct<x:int> and a ? b:c apart from markers: a marker does not follow a name or a value.
func (l *lexer) markerMayStart() bool {
	if l.last.pos.Offset+len(l.last.text) != l.at {
		return true
	}
	switch l.last.kind {
	case tokWord, tokQuotedName, tokString, tokNumber:
		return false
	}
	return l.last.text != ")" && l.last.text != "]"
}

func (l *lexer) blockComment(rest string) token {
	depth, i := 0, 0
	for i < len(rest) {
		switch {
		case strings.HasPrefix(rest[i:], "/*"):
			depth++
			i += 2
		case strings.HasPrefix(rest[i:], "*/"):
			depth--
			i += 2
			if depth == 0 {
				if strings.HasPrefix(rest, "/*+") {
					return l.cut(tokHint, i)
				}
				return l.cut(tokComment, i)
			}
		default:
			i++
		}
	}
	t := l.cut(tokBad, len(rest))
	t.why = "unclosed bracketed comment"
	return t
}

func (l *lexer) quoted(rest string) token {
	quote := rest[0]
	var b strings.Builder
	for i := 1; i < len(rest); {
		switch c := rest[i]; {
		case c == '\\' && i+1 < len(rest):
			i += unescape(&b, rest[i:])
		case c == quote && i+1 < len(rest) && rest[i+1] == quote:
			b.WriteByte(quote)
			i += 2
		case c == quote:
			t := l.cut(tokString, i+1)
			t.value = b.String()
			return t
		default:
			b.WriteByte(c)
			i++
		}
	}
	t := l.cut(tokBad, len(rest))
	t.why = "unclosed string"
	return t
}

func (l *lexer) raw(rest string) token {
	end := strings.IndexByte(rest[2:], rest[1])
	if end < 0 {
		t := l.cut(tokBad, len(rest))
		t.why = "unclosed string"
		return t
	}
	t := l.cut(tokString, end+3)
	t.value = t.text[2 : len(t.text)-1]
	return t
}

func (l *lexer) backtick(rest string) token {
	for i := 1; i < len(rest); i++ {
		if rest[i] != '`' {
			continue
		}
		if i+1 < len(rest) && rest[i+1] == '`' {
			i++
			continue
		}
		t := l.cut(tokQuotedName, i+1)
		t.value = strings.ReplaceAll(t.text[1:i], "``", "`")
		return t
	}
	t := l.cut(tokBad, len(rest))
	t.why = "unclosed name"
	return t
}

// number reads digits, fraction, exponent and one of Spark's suffixes.
func (l *lexer) number(rest string) token {
	i := digits(rest, 0)
	if i < len(rest) && rest[i] == '.' {
		i = digits(rest, i+1)
	}
	if i < len(rest) && (rest[i] == 'e' || rest[i] == 'E') {
		j := i + 1
		if j < len(rest) && (rest[j] == '+' || rest[j] == '-') {
			j++
		}
		if k := digits(rest, j); k > j {
			i = k
		}
	}
	word := wordLength(rest[i:])
	switch strings.ToUpper(rest[i : i+word]) {
	case "", "L", "S", "Y", "D", "F", "BD":
		return l.cut(tokNumber, i+word)
	}
	t := l.cut(tokBad, i+word)
	t.why = "a name may not begin with a digit"
	return t
}

func digits(s string, from int) int {
	for from < len(s) && isDigit(s[from]) {
		from++
	}
	return from
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWordStart(r rune) bool { return r == '_' || r != utf8.RuneError && unicode.IsLetter(r) }

func wordLength(s string) int {
	for i, r := range s {
		if !isWordStart(r) && (r < '0' || r > '9') {
			return i
		}
	}
	return len(s)
}
