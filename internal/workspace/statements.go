package workspace

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Parameter binds the marker :Name. A nil Value is NULL; an empty Type is STRING.
type Parameter struct {
	Name, Type string
	Value      *string
}

// Bind makes a parameter of a value.
func Bind(name, kind, value string) Parameter {
	return Parameter{Name: name, Type: kind, Value: &value}
}

const (
	disposeInline   = "INLINE"
	disposeExternal = "EXTERNAL_LINKS"

	statementPath = "/api/2.0/sql/statements/"

	firstPoll   = 250 * time.Millisecond
	longestPoll = 5 * time.Second
)

// Query runs a statement on the warehouse, waits for its end and streams its rows, which must be closed. A statement
// that fails is a *StatementError. A result that is cut short is ErrTruncated. When ctx ends, the statement is
// cancelled. Statements that only read are repeated where an answer is lost; others are ErrUncertain then.
func (c *Client) Query(ctx context.Context, sql string, parameters ...Parameter) (*Rows, error) {
	rows, err := c.query(ctx, sql, parameters, disposeInline)
	// A result above 25 MiB is not given inline; the statement has run by then, so only a reading one runs again.
	var failed *StatementError
	if errors.As(err, &failed) && failed.isTooLarge() && onlyReads(sql) {
		rows, err = c.query(ctx, sql, parameters, disposeExternal)
	}
	return rows, err
}

// Exec runs a statement for its effect. Its rows are dropped.
func (c *Client) Exec(ctx context.Context, sql string, parameters ...Parameter) error {
	rows, err := c.query(ctx, sql, parameters, disposeInline)
	if err != nil {
		return err
	}
	return rows.Close()
}

type statementParameter struct {
	Name  string  `json:"name"`
	Type  string  `json:"type,omitempty"`
	Value *string `json:"value,omitempty"`
}

type statementAnswer struct {
	ID     string `json:"statement_id"`
	Status struct {
		State    string `json:"state"`
		SQLState string `json:"sql_state"`
		Error    *struct {
			Code    string `json:"error_code"`
			Message string `json:"message"`
		} `json:"error"`
	} `json:"status"`
	Manifest manifest `json:"manifest"`
	Result   chunk    `json:"result"`
}

func (c *Client) query(ctx context.Context, sql string, parameters []Parameter, disposition string) (*Rows, error) {
	if c.warehouse == "" {
		return nil, &Error{Op: "run statement", Subject: abridge(sql), Err: ErrNoWarehouse,
			Hint: "Set warehouse_id, or DATABRICKS_WAREHOUSE_ID, to the id of a SQL warehouse."}
	}
	body := map[string]any{"statement": sql, "warehouse_id": c.warehouse, "wait_timeout": "10s", "on_wait_timeout": "CONTINUE",
		"disposition": disposition, "format": "JSON_ARRAY"}
	if len(parameters) > 0 {
		var list []statementParameter
		for _, p := range parameters {
			list = append(list, statementParameter(p))
		}
		body["parameters"] = list
	}
	r := post("run statement", abridge(sql), statementPath, body)
	r.repeatable = onlyReads(sql)
	r.patient = true
	var a statementAnswer
	if err := c.read(ctx, r, &a); err != nil {
		return nil, c.notStarted(err)
	}
	a, err := c.settle(ctx, sql, a)
	if err != nil {
		return nil, err
	}
	if a.Manifest.Truncated {
		return nil, &Error{Op: "run statement", Subject: abridge(sql), Err: fmt.Errorf("%w: the workspace gave %d rows and says there are more", ErrTruncated, a.Manifest.Rows),
			Hint: "Ask for less in one statement."}
	}
	return newRows(ctx, c, sql, a), nil
}

// onlyReads recognises statements without an effect by their first word. A WITH may lead to an INSERT.
func onlyReads(sql string) bool {
	words := strings.FieldsFunc(strings.ToUpper(sql), func(r rune) bool { return r != '_' && (r < 'A' || r > 'Z') })
	if len(words) == 0 || strings.HasPrefix(strings.TrimSpace(sql), "--") || strings.HasPrefix(strings.TrimSpace(sql), "/*") {
		return false
	}
	switch words[0] {
	case "SELECT", "DESCRIBE", "DESC", "SHOW", "VALUES", "EXPLAIN":
		return true
	case "WITH":
		for _, w := range words {
			switch w {
			case "INSERT", "MERGE", "UPDATE", "DELETE":
				return false
			}
		}
		return true
	}
	return false
}

// abridge is a statement as errors name it: one line, not its data.
func abridge(sql string) string {
	const longest = 60
	line := []rune(strings.Join(strings.Fields(sql), " "))
	if len(line) > longest {
		return string(line[:longest]) + "…"
	}
	return string(line)
}
