package dialect

import (
	"fmt"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// maxDepth bounds the nesting of expressions and queries.
const maxDepth = 250

// parser reads one statement. The first error is kept and ends everything: after it every token is the end.
type parser struct {
	text    string
	tokens  []token
	at      int
	depth   int
	session Session
	err     *engine.Error
}

// Parse reads one statement. A semicolon may end it. Its errors are *engine.Error of a parser's class.
func Parse(text string, s Session) (Statement, error) {
	p := &parser{text: text, session: s}
	all := tokenize(text)
	p.tokens = make([]token, 0, len(all))
	for _, t := range all {
		switch t.kind {
		case tokSpace, tokComment, tokHint:
		case tokBad:
			return nil, p.syntaxAt(t)
		default:
			t.up = strings.ToUpper(t.text)
			p.tokens = append(p.tokens, t)
		}
	}
	if n := len(p.tokens); n > 1 && p.tokens[n-2].text == ";" && p.tokens[n-2].kind == tokSymbol {
		p.tokens = append(p.tokens[:n-2], p.tokens[n-1])
	}
	if len(p.tokens) == 1 {
		return nil, NewError("PARSE_EMPTY_STATEMENT", "Syntax error, unexpected empty statement.")
	}
	st := p.statement()
	if p.err == nil && p.peek().kind != tokEnd {
		p.fail()
	}
	if p.err != nil {
		return nil, p.err
	}
	return st, nil
}

func (p *parser) peek() token { return p.peekAt(0) }

func (p *parser) peekAt(n int) token {
	if p.err != nil || p.at+n >= len(p.tokens) {
		return p.tokens[len(p.tokens)-1]
	}
	return p.tokens[p.at+n]
}

func (p *parser) next() token {
	t := p.peek()
	if p.at < len(p.tokens)-1 {
		p.at++
	}
	return t
}

// is says whether the words or symbols come next, without taking them.
func (p *parser) is(words ...string) bool {
	for i, w := range words {
		t := p.peekAt(i)
		if t.kind != tokWord && t.kind != tokSymbol || t.upper() != w {
			return false
		}
	}
	return p.err == nil
}

// accept takes the words or symbols if they come next.
func (p *parser) accept(words ...string) bool {
	if !p.is(words...) {
		return false
	}
	p.at += len(words)
	return true
}

// expect takes them or fails.
func (p *parser) expect(words ...string) {
	for _, w := range words {
		if !p.accept(w) {
			p.fail()
			return
		}
	}
}

// fail records a syntax error at the next token.
func (p *parser) fail() { p.setError(p.syntaxAt(p.peek())) }

func (p *parser) setError(e *engine.Error) {
	if p.err == nil {
		p.err = e
	}
}

// refuse records that something well formed is not supported.
func (p *parser) refuse(format string, args ...any) { p.setError(refuse(format, args...)) }

func (p *parser) syntaxAt(t token) *engine.Error {
	near := "'" + t.text + "'"
	if t.kind == tokEnd {
		near = "end of input"
	}
	if t.kind == tokBad {
		near = fmt.Sprintf("'%s': %s", firstRunes(t.text, 20), t.why)
	}
	return NewError("PARSE_SYNTAX_ERROR", fmt.Sprintf("Syntax error at or near %s. (line %d, pos %d)", near, t.pos.Line, t.pos.Column))
}

func firstRunes(s string, n int) string {
	r := []rune(s)
	if len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

// enter guards recursion; the caller must call leave when it returns true.
func (p *parser) enter() bool {
	p.depth++
	if p.depth > maxDepth {
		p.refuse("a statement nested more than %d deep", maxDepth)
		return false
	}
	return p.err == nil
}

func (p *parser) leave() { p.depth-- }

// identifier takes a name: a word or one in backticks.
func (p *parser) identifier() string {
	switch t := p.peek(); t.kind {
	case tokWord:
		p.next()
		return t.text
	case tokQuotedName:
		p.next()
		return t.value
	}
	p.fail()
	return ""
}

// name takes a.b.c.
func (p *parser) name() Name {
	n := Name{Pos: p.peek().pos}
	n.Parts = append(n.Parts, p.identifier())
	for p.is(".") && p.err == nil {
		p.next()
		n.Parts = append(n.Parts, p.identifier())
	}
	return n
}

// names takes (a, b).
func (p *parser) names() []string {
	var out []string
	p.list(func() { out = append(out, p.identifier()) })
	return out
}

// list takes items with commas between them, in parentheses.
func (p *parser) list(item func()) {
	p.expect("(")
	item()
	for p.accept(",") {
		item()
	}
	p.expect(")")
}

// stringText takes a string, adjacent ones joined.
func (p *parser) stringText() string {
	if p.peek().kind != tokString {
		p.fail()
		return ""
	}
	var b strings.Builder
	for p.peek().kind == tokString {
		b.WriteString(p.next().value)
	}
	return b.String()
}

func (p *parser) stringPointer() *string {
	s := p.stringText()
	return &s
}

// span ends a stretch that began at a token.
func (p *parser) spanFrom(start token) Span {
	s := Span{From: start.pos.Offset, To: start.pos.Offset}
	if p.at > 0 {
		last := p.tokens[p.at-1]
		s.To = max(s.To, last.pos.Offset+len(last.text))
	}
	return s
}

func (p *parser) textOf(s Span) string { return p.text[s.From:s.To] }

func (p *parser) ifExists() bool    { return p.accept("IF", "EXISTS") }
func (p *parser) ifNotExists() bool { return p.accept("IF", "NOT", "EXISTS") }
