package dialect

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

//nolint:gochecknoglobals // a table that is only read; Go has no constant maps
var escapes = map[byte]string{'0': "\x00", 'b': "\b", 'n': "\n", 'r': "\r", 't': "\t", 'Z': "\x1a", '\\': "\\",
	'\'': "'", '"': `"`, '%': `\%`, '_': `\_`}

// unescape writes what the escape at the start of s stands for and returns its length, as Spark's unescapeSQLString.
func unescape(b *strings.Builder, s string) int {
	c := s[1]
	if c == 'u' || c == 'U' {
		n := 6
		if c == 'U' {
			n = 10
		}
		if len(s) >= n {
			if v, err := strconv.ParseUint(s[2:n], 16, 32); err == nil && utf8.ValidRune(rune(v)) {
				b.WriteRune(rune(v))
				return n
			}
		}
	}
	if c >= '0' && c <= '1' && len(s) >= 4 && octal(s[2]) && octal(s[3]) {
		v, _ := strconv.ParseUint(s[1:4], 8, 16)
		b.WriteRune(rune(v))
		return 4
	}
	if e, ok := escapes[c]; ok {
		b.WriteString(e)
		return 2
	}
	r, size := utf8.DecodeRuneInString(s[1:])
	if r == utf8.RuneError {
		b.WriteByte(s[1])
		return 2
	}
	b.WriteRune(r)
	return 1 + size
}

func octal(c byte) bool { return c >= '0' && c <= '7' }
