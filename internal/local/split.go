package local

import "strings"

// TEMPORARY: replaced by dialect.Split when that package compiles.
type piece struct {
	Text string
	Line int
}

func splitSQL(script string) []piece {
	var out []piece
	start, code := 0, -1
	add := func(end int) {
		if code >= 0 {
			out = append(out, piece{strings.TrimSpace(script[start:end]), 1 + strings.Count(script[:code], "\n")})
		}
		start, code = end+1, -1
	}
	for i := 0; i < len(script); i++ {
		switch c := script[i]; {
		case c == ';':
			add(i)
		case strings.HasPrefix(script[i:], "--"):
			if n := strings.IndexByte(script[i:], '\n'); n >= 0 {
				i += n
			} else {
				i = len(script)
			}
		case c == '\'' || c == '"' || c == '`':
			if code < 0 {
				code = i
			}
			for i++; i < len(script) && script[i] != c; i++ {
			}
		case c > ' ' && code < 0:
			code = i
		}
	}
	add(len(script))
	return out
}
