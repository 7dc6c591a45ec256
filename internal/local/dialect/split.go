package dialect

import "strings"

// Piece is one statement of a text of several, with the line it starts on, from 1.
type Piece struct {
	Text string
	Line int
}

// Split cuts a text at the semicolons that end statements. Pieces of nothing but space and comments are left out.
func Split(text string) []Piece {
	var (
		pieces []Piece
		b      strings.Builder
		line   int
	)
	flush := func() {
		if line > 0 {
			pieces = append(pieces, Piece{Text: strings.TrimSpace(b.String()), Line: line})
		}
		b.Reset()
		line = 0
	}
	for _, t := range tokenize(text) {
		switch {
		case t.kind == tokEnd:
		case t.text == ";" && t.kind == tokSymbol:
			flush()
			continue
		case t.kind == tokSpace, t.kind == tokComment:
			// Space and comments before a statement belong to no statement: its line is that of its first word.
			if line == 0 {
				continue
			}
		default:
			if line == 0 {
				line = t.pos.Line
			}
		}
		b.WriteString(t.text)
	}
	flush()
	return pieces
}
