package maintenance

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
)

// Statements are the plan's SQL in order: OPTIMIZE, VACUUM, ANALYZE. A plan that Validate finds fault with is an error.
func (p Plan) Statements() ([]string, error) {
	var errs []error
	for _, problem := range p.Validate() {
		errs = append(errs, problem)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	t, err := contract.ParseTable(p.Table)
	if err != nil {
		return nil, err
	}
	out := []string{p.Optimize.statement(t)}
	if p.Vacuum != nil {
		out = append(out, p.Vacuum.statement(t))
	}
	if p.Analyze {
		out = append(out, "ANALYZE TABLE "+t.SQL()+" COMPUTE STATISTICS")
	}
	return out, nil
}

func (o Optimize) statement(t contract.Table) string {
	s := "OPTIMIZE " + t.SQL()
	if o.Full {
		s += " FULL"
	}
	if o.Where != "" {
		s += " WHERE " + strings.TrimSpace(o.Where)
	}
	if len(o.ZOrderBy) > 0 {
		names := make([]string, len(o.ZOrderBy))
		for i, n := range o.ZOrderBy {
			names[i] = quoteField(n)
		}
		s += " ZORDER BY (" + strings.Join(names, ", ") + ")"
	}
	return s
}

func (v Vacuum) statement(t contract.Table) string {
	s := "VACUUM " + t.SQL()
	switch {
	case v.Lite:
		s += " LITE"
	case v.Full:
		s += " FULL"
	}
	if v.RetainHours != nil {
		s += fmt.Sprintf(" RETAIN %d HOURS", *v.RetainHours)
	}
	return s
}

// quoteField quotes each part of a nested field.
func quoteField(name string) string {
	parts := strings.Split(name, ".")
	for i, p := range parts {
		parts[i] = contract.Quote(p)
	}
	return strings.Join(parts, ".")
}

// Validate finds everything wrong in the plan, by attribute.
func (p Plan) Validate() []contract.Problem {
	var out []contract.Problem
	add := func(field, value, reason, hint string) {
		out = append(out, contract.Problem{Field: field, Value: value, Reason: reason, Hint: hint})
	}
	if _, err := contract.ParseTable(p.Table); err != nil {
		add("table", p.Table, "it is no complete table name", "Write catalog.schema.table, as main.events.messages")
	}
	o := p.Optimize
	if reason := unfit(o.Where); reason != "" {
		add("where", o.Where, reason, "Write one predicate on partition columns, as day >= current_date() - INTERVAL 7 DAYS")
	}
	if o.Full && o.Where != "" {
		add("full", "true", "OPTIMIZE FULL is for clustered tables, and WHERE is not (DELTA_CLUSTERING_WITH_PARTITION_PREDICATE)", "Keep one of full and where")
	}
	if o.Full && len(o.ZOrderBy) > 0 {
		add("full", "true", "OPTIMIZE FULL is for clustered tables, and ZORDER BY is not (DELTA_CLUSTERING_WITH_ZORDER_BY)", "Keep one of full and zorder_by")
	}
	seen := map[string]bool{}
	for _, n := range o.ZOrderBy {
		switch {
		case strings.TrimSpace(n) != n || n == "" || strings.ContainsAny(n, "`,;()\n"):
			add("zorder_by", n, "it is no column name", "Write each column by itself, without quotes")
		case seen[strings.ToLower(n)]:
			add("zorder_by", n, "it comes twice", "Name each column once")
		}
		seen[strings.ToLower(n)] = true
	}
	if v := p.Vacuum; v != nil {
		v.validate(add)
	}
	return out
}

func (v Vacuum) validate(add func(field, value, reason, hint string)) {
	if v.Lite && v.Full {
		add("vacuum.lite", "true", "a VACUUM is LITE or FULL", "Keep one of lite and full")
	}
	if v.RetainHours == nil {
		return
	}
	value := fmt.Sprint(*v.RetainHours)
	switch n := *v.RetainHours; {
	case n < 0:
		add("vacuum.retain_hours", value, "hours cannot be negative (DELTA_VACUUM_RETENTION_PERIOD_NEGATIVE)", "Leave it out to use the table's retention")
	case n == 0:
		add("vacuum.retain_hours", value, "it removes files that running reads and uncommitted writes need, and with them every way to bring lost rows back", "Leave it out to use the table's retention")
	}
}

// ValidateAgainst finds where the plan cuts into what the table keeps: delta.deletedFileRetentionDuration is the promise,
// and a shorter RETAIN breaks it or fails.
func (p Plan) ValidateAgainst(deletedFileRetention time.Duration) []contract.Problem {
	if p.Vacuum == nil || p.Vacuum.RetainHours == nil || *p.Vacuum.RetainHours <= 0 {
		return nil
	}
	n := *p.Vacuum.RetainHours
	const most = 24 * 366 * 100
	if n >= most || time.Duration(n)*time.Hour >= deletedFileRetention {
		return nil
	}
	return []contract.Problem{{Field: "vacuum.retain_hours", Value: fmt.Sprint(n),
		Reason: fmt.Sprintf("the table keeps deleted files for %s, and VACUUM refuses less (DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT)", interval.Text(deletedFileRetention)),
		Hint:   fmt.Sprintf("Leave it out, or write %d or more", int64((deletedFileRetention+time.Hour-1)/time.Hour))}}
}

// unfit tells why a predicate would not stay one part of one statement.
func unfit(predicate string) string {
	var quote rune
	previous := rune(0)
	depth := 0
	for _, r := range predicate {
		switch {
		case quote != 0:
			if r == quote && previous != '\\' {
				quote = 0
			}
		case r == '\'' || r == '"' || r == '`':
			quote = r
		case r == ';':
			return "it holds a semicolon"
		case r == '-' && previous == '-', r == '*' && previous == '/':
			return "it holds a comment"
		case r == '(':
			depth++
		case r == ')':
			if depth--; depth < 0 {
				return "it closes a parenthesis that is not open"
			}
		}
		if previous == '\\' && r == '\\' {
			r = 0 // an escaped backslash escapes nothing
		}
		previous = r
	}
	switch {
	case quote != 0:
		return "a quote is not closed"
	case depth > 0:
		return "a parenthesis is not closed"
	case predicate != "" && strings.TrimSpace(predicate) == "":
		return "it is blank"
	}
	return ""
}
