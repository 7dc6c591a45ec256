package maintenance

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
)

// ReadFile reads back what File wrote. It is false for a file with anything else in it.
func ReadFile(content []byte) (Plan, bool) {
	text := string(content)
	if strings.HasPrefix(text, "--") {
		_, text, _ = strings.Cut(text, "\n")
	}
	statements := strings.SplitAfter(text, ";\n")
	statements = statements[:len(statements)-1] // what follows the last one; nothing, or the comparison below fails
	p := Plan{}
	for _, s := range statements {
		if !p.read(strings.TrimSuffix(s, ";\n")) {
			return Plan{}, false
		}
	}
	again, err := p.Statements()
	if err != nil || len(again) == 0 || strings.Join(again, ";\n")+";\n" != text {
		return Plan{}, false
	}
	return p, true
}

// The statements as Statements writes them. A table's parts are in backticks, and so are the columns of ZORDER BY.
const tableForm = "((?:`(?:[^`]|``)*`\\.){2}`(?:[^`]|``)*`)"

func (p *Plan) read(statement string) bool {
	optimize := regexp.MustCompile("(?s)^OPTIMIZE " + tableForm + "( FULL)?(?: WHERE (.*?))?(?: ZORDER BY \\(((?:`(?:[^`]|``)*`[., ]*)+)\\))?$")
	vacuum := regexp.MustCompile("^VACUUM " + tableForm + "( LITE| FULL)?(?: RETAIN ([0-9]+) HOURS)?$")
	analyze := regexp.MustCompile("^ANALYZE TABLE " + tableForm + " COMPUTE STATISTICS$")
	if m := optimize.FindStringSubmatch(statement); m != nil {
		p.Table = unquoteTable(m[1])
		p.Optimize = Optimize{Full: m[2] != "", Where: m[3], ZOrderBy: unquoteFields(m[4])}
		return true
	}
	if m := vacuum.FindStringSubmatch(statement); m != nil {
		p.Vacuum = &Vacuum{Lite: m[2] == " LITE", Full: m[2] == " FULL"}
		if hours, err := strconv.Atoi(m[3]); err == nil {
			p.Vacuum.RetainHours = &hours
		}
		return unquoteTable(m[1]) == p.Table
	}
	m := analyze.FindStringSubmatch(statement)
	p.Analyze = m != nil
	return m != nil && unquoteTable(m[1]) == p.Table
}

func unquoteTable(text string) string {
	t, err := contract.ParseTable(text)
	if err != nil {
		return text
	}
	return t.FullName()
}

// unquoteFields reads `a`, `b`.`c` back.
func unquoteFields(list string) []string {
	if list == "" {
		return nil
	}
	var out []string
	for _, w := range scan(list) {
		switch {
		case w.kind != quotedWord:
			if w.text == "." && len(out) > 0 {
				out[len(out)-1] += "."
			}
		case len(out) > 0 && strings.HasSuffix(out[len(out)-1], "."):
			out[len(out)-1] += w.text
		default:
			out = append(out, w.text)
		}
	}
	return out
}
