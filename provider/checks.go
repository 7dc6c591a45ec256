package provider

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

// check is a validator of one text attribute. It is not asked about null and unknown values: null is the schema's
// business, and unknown defers.
type check struct {
	what string
	// judge returns warnings and what is wrong.
	judge func(text string) (warnings []string, err error)
}

var _ validator.String = check{}

func (c check) Description(context.Context) string         { return "must be " + c.what }
func (c check) MarkdownDescription(context.Context) string { return "must be " + c.what }

func (c check) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	text := req.ConfigValue.ValueString()
	warnings, err := c.judge(text)
	for _, w := range warnings {
		resp.Diagnostics.AddAttributeWarning(req.Path, "Look at "+req.Path.String(), sentence(w))
	}
	if err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Wrong "+req.Path.String(), sentence(err.Error()))
	}
}

// aDuration accepts durations of at least the given length, in whole seconds: what the Jobs API and the table
// properties can hold.
func aDuration(least time.Duration) check {
	return check{what: `a duration such as "30m", "24h" or "7 days"`, judge: func(text string) ([]string, error) {
		d, err := interval.Parse(text)
		switch {
		case err != nil:
			return nil, err
		case d%time.Second != 0:
			return nil, fmt.Errorf("%q is not a whole number of seconds", text)
		case d < least:
			return nil, fmt.Errorf("%q is too short: write %s or more", text, interval.Short(least))
		}
		return nil, nil
	}}
}

func aTableName() check {
	return check{what: "a table name in three parts, catalog.schema.table", judge: func(text string) ([]string, error) {
		if strings.Contains(text, "`") {
			return nil, fmt.Errorf("%q: write the three parts without backticks", text)
		}
		_, err := contract.ParseTable(text)
		return nil, err
	}}
}

func aCron() check {
	return check{what: "a Quartz cron expression", judge: func(text string) ([]string, error) {
		cron, err := schedule.Parse(text)
		if err != nil {
			return nil, err
		}
		return cron.Warnings(), nil
	}}
}

func aZone() check {
	return check{what: "a time zone id such as UTC or Europe/Berlin", judge: func(text string) ([]string, error) {
		_, err := schedule.Zone(text)
		return nil, err
	}}
}

func anInstant() check {
	return check{what: "an instant, RFC 3339", judge: func(text string) ([]string, error) {
		_, err := parseInstant(text)
		return nil, err
	}}
}

func aToken() check {
	return check{what: "an idempotency token", judge: func(text string) ([]string, error) {
		const longest = 64
		if n := len(text); n == 0 || n > longest {
			return nil, fmt.Errorf("the token has %d characters: write 1 to %d, or leave it out", n, longest)
		}
		return nil, nil
	}}
}

func anID(what string) check {
	return check{what: "the id of a " + what, judge: func(text string) ([]string, error) {
		if id, err := strconv.ParseInt(text, 10, 64); err != nil || id <= 0 {
			return nil, fmt.Errorf("%q is not the id of a %s: write its number", text, what)
		}
		return nil, nil
	}}
}

// numberFrom is a validator of a number that has a least and a most.
type numberFrom struct{ least, most int64 }

var _ validator.Int64 = numberFrom{}

func (n numberFrom) Description(context.Context) string {
	return fmt.Sprintf("must be from %d to %d", n.least, n.most)
}
func (n numberFrom) MarkdownDescription(ctx context.Context) string { return n.Description(ctx) }

func (n numberFrom) ValidateInt64(_ context.Context, req validator.Int64Request, resp *validator.Int64Response) {
	if v := req.ConfigValue; !v.IsNull() && !v.IsUnknown() && (v.ValueInt64() < n.least || v.ValueInt64() > n.most) {
		resp.Diagnostics.AddAttributeError(req.Path, "Wrong "+req.Path.String(), fmt.Sprintf("%s = %d: write a number from %d to %d.", req.Path, v.ValueInt64(), n.least, n.most))
	}
}

func someText() check {
	return check{what: "a text that is not blank", judge: func(text string) ([]string, error) {
		if strings.TrimSpace(text) == "" {
			return nil, fmt.Errorf("%q is blank: write a name, or leave the attribute out", text)
		}
		return nil, nil
	}}
}

func aPredicate() check {
	return check{what: "a predicate on partition columns", judge: func(text string) ([]string, error) {
		if strings.TrimSpace(text) == "" {
			return nil, fmt.Errorf("%q is blank: write a predicate on partition columns, such as \"day >= current_date() - INTERVAL 7 DAYS\", or leave the attribute out for the whole table", text)
		}
		return nil, nil
	}}
}

func aJobID() check {
	return check{what: "the id of a job", judge: func(text string) ([]string, error) {
		if id, err := strconv.ParseInt(text, 10, 64); err != nil || id <= 0 {
			return nil, fmt.Errorf("%q is not the id of a job, which is a whole number: write databricks_job.<name>.id, or the number in the job's URL", text)
		}
		return nil, nil
	}}
}

// someColumns refuses an empty list: it is more often a filter that found nothing than a wish for no order.
type someColumns struct{}

var _ validator.List = someColumns{}

func (someColumns) Description(context.Context) string {
	return "must name at least one column"
}
func (c someColumns) MarkdownDescription(ctx context.Context) string { return c.Description(ctx) }

func (someColumns) ValidateList(_ context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	if !req.ConfigValue.IsNull() && !req.ConfigValue.IsUnknown() && len(req.ConfigValue.Elements()) == 0 {
		resp.Diagnostics.AddAttributeError(req.Path, "Wrong "+req.Path.String(), fmt.Sprintf("%s is an empty list. Name at least one column, or leave the attribute out (null in an expression: length(var.columns) > 0 ? var.columns : null).", req.Path))
	}
}

// oneOf accepts the given words exactly, and names the one that differs only in case or in a dash.
func oneOf(words ...string) check {
	return check{what: "one of " + strings.Join(words, ", "), judge: func(text string) ([]string, error) {
		for _, w := range words {
			if text == w {
				return nil, nil
			}
		}
		for _, w := range words {
			if strings.EqualFold(strings.NewReplacer("-", "_", " ", "_").Replace(text), w) {
				return nil, fmt.Errorf("%q is written %q", text, w)
			}
		}
		return nil, fmt.Errorf("%q is not one of %s", text, strings.Join(words, ", "))
	}}
}

// sentence begins a message with a capital letter and ends it with a full stop.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if first, size := utf8.DecodeRuneInString(text); size > 0 && !strings.ContainsAny(strings.SplitN(text, " ", 2)[0], "._=\"") {
		text = string(unicode.ToUpper(first)) + text[size:]
	}
	if text == "" || strings.HasSuffix(text, ".") || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "."
}

// duration reads an attribute that has passed aDuration. Null and unknown are 0.
func duration(v types.String) time.Duration {
	d, err := interval.Parse(v.ValueString())
	if err != nil {
		return 0
	}
	return d
}

// keepDeclared is keepText for a duration that need not be declared: 0 is none, and a declared 0 stays.
func keepDeclared(prior types.String, live time.Duration) types.String {
	if live == 0 && (prior.IsNull() || duration(prior) != 0) {
		return types.StringNull()
	}
	return keepText(prior, live)
}

// keepText returns the prior text when it means the same duration as the live one: the user's spelling stays.
func keepText(prior types.String, live time.Duration) types.String {
	if !prior.IsNull() && !prior.IsUnknown() {
		if d, err := interval.Parse(prior.ValueString()); err == nil && d == live {
			return prior
		}
	}
	return types.StringValue(interval.Short(live))
}
