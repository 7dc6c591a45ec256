package dialect

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// values lists the tokens that are no space or comment as kind:value.
func values(text string) []string {
	kinds := map[tokenKind]string{tokWord: "word", tokQuotedName: "name", tokString: "string", tokNumber: "number",
		tokMarker: "marker", tokHint: "hint", tokSymbol: "symbol", tokBad: "bad"}
	var out []string
	for _, t := range tokenize(text) {
		if k, ok := kinds[t.kind]; ok {
			v := t.text
			if t.kind == tokString || t.kind == tokQuotedName || t.kind == tokMarker {
				v = t.value
			}
			out = append(out, k+":"+v)
		}
	}
	return out
}

func TestTokens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"doubled quote", `'it''s'`, []string{"string:it's"}},
		{"backslash quote", `'it\'s'`, []string{"string:it's"}},
		{"escapes", `'a\tb\\\n\u00e9\101'`, []string{"string:a\tb\\\néA"}},
		{"escaped wildcard keeps its backslash", `'10\%'`, []string{`string:10\%`}},
		{"raw string", `r'a\nb'`, []string{`string:a\nb`}},
		{"double quotes are a string", `"say ""hi"""`, []string{`string:say "hi"`}},
		{"backticks", "`a``b`.`c d`", []string{"name:a`b", "symbol:.", "name:c d"}},
		{"line comment", "a -- b; 'c\nd", []string{"word:a", "word:d"}},
		{"nested comment", "a /* b /* c */ d */ e", []string{"word:a", "word:e"}},
		{"hint", "/*+ COALESCE(1) */ *", []string{"hint:/*+ COALESCE(1) */", "symbol:*"}},
		{"numbers", "1 1L 2S 3Y 1.5D 3BD 1e3 .5 1.", []string{"number:1", "number:1L", "number:2S", "number:3Y", "number:1.5D",
			"number:3BD", "number:1e3", "number:.5", "number:1."}},
		{"marker", ":p + :q_1", []string{"marker:p", "symbol:+", "marker:q_1"}},
		{"cast is no marker", "x::int", []string{"word:x", "symbol:::", "word:int"}},
		{"struct field is no marker", "struct<x:int>", []string{"word:struct", "symbol:<", "word:x", "symbol::", "word:int", "symbol:>"}},
		{"marker in a string", "':p'", []string{"string::p"}},
		{"null safe equality", "a<=>b<=c", []string{"word:a", "symbol:<=>", "word:b", "symbol:<=", "word:c"}},
		{"unclosed string", "'a", []string{"bad:'a"}},
		{"unclosed comment", "/* a", []string{"bad:/* a"}},
		{"name that begins with a digit", "1abc", []string{"bad:1abc"}},
		{"unicode", "'ünï😀' é", []string{"string:ünï😀", "word:é"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, values(c.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSyntaxErrorGivesItsPlace(t *testing.T) {
	t.Parallel()
	_, err := Parse("SELECT a\nFROM t WHERE )", Session{})
	want := "[PARSE_SYNTAX_ERROR] Syntax error at or near ')'. (line 2, pos 13) SQLSTATE: 42601"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       []Piece
	}{
		{"two", "SELECT 1;\nSELECT 2", []Piece{{"SELECT 1", 1}, {"SELECT 2", 2}}},
		{"semicolon in string, name and comment", "SELECT ';', `;` -- ;\n/* ; */ ; SELECT \";\"",
			[]Piece{{"SELECT ';', `;` -- ;\n/* ; */", 1}, {`SELECT ";"`, 2}}},
		{"line after a comment", "-- loader\n\n/* of\nday */\nINSERT INTO t\nSELECT 1;\n\nSELECT 2;\n", []Piece{{"INSERT INTO t\nSELECT 1", 5}, {"SELECT 2", 8}}},
		{"empty statements", ";;\n ; -- nothing\n", nil},
		{"unclosed string stays one", "SELECT 'a; b", []Piece{{"SELECT 'a; b", 1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, Split(c.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// FuzzParse holds that no text makes the parser panic, and that its tokens give the text back.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"SELECT 1", "'a", "`", "/*/*", "MERGE INTO t USING s ON a=b WHEN MATCHED THEN DELETE", "SELECT INTERVAL", "SELECT (((((",
		"CREATE TABLE t (a STRUCT<x: ARRAY<ARRAY<INT>>>)", "SELECT a::DECIMAL(", "SELECT -", "x::", ":", "SELECT INTERVAL 1", "SELECT 1e", "\xff", "VACUUM t RETAIN -",
		"SELECT DATE'9999999-1-1'", "SHOW COLUMNS IN t IN", "SELECT TIMESTAMP'1-1'", "SET a", "SELECT '\\u12", "SELECT INTERVAL '1' DAY TO", "SELECT NOT NOT NOT"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var b strings.Builder
		for _, tok := range tokenize(text) {
			b.WriteString(tok.text)
		}
		if b.String() != text {
			t.Fatalf("tokens of %q join to %q", text, b.String())
		}
		st, err := Parse(text, Session{})
		if err == nil && st == nil {
			t.Fatalf("%q: no statement and no error", text)
		}
		if q, ok := st.(*Query); ok && err == nil {
			if r, err := NewRewriter(Session{}, noTables{}); err == nil {
				_, _ = r.Query(t.Context(), q)
			}
		}
		for _, p := range Split(text) {
			if p.Line < 1 || p.Text == "" {
				t.Fatalf("%q: piece %+v", text, p)
			}
		}
	})
}
