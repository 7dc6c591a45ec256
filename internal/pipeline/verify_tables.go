package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// describe looks at both tables, and makes the statements for their columns.
func (v *verifier) describe(ctx context.Context) error {
	v.say("describe the tables")
	c := v.subject.contract
	var err error
	if v.now, err = v.w.Now(ctx); err != nil {
		return err
	}
	source, err := v.w.Table(ctx, c.Source)
	if err != nil {
		return err
	}
	target, err := v.w.Table(ctx, c.Target)
	if err != nil {
		return err
	}
	if err := fit(source, target); err != nil {
		return err
	}
	v.began, v.sourceTable, v.targetTable = target.Created, source, target
	v.retention, err = contract.RetentionFromProperties(c.Source, source.Properties)
	if err != nil {
		return &ConfigurationError{Subject: "table " + c.Source, Reason: "its properties cannot be read", Err: err, Hint: "Correct the property."}
	}
	v.targetRetention = contract.DefaultDeletedFileRetention
	if r, err := contract.RetentionFromProperties(c.Target, target.Properties); err == nil {
		v.targetRetention = r.DeletedFileRetention
	}
	if len(c.Key.Columns) > 0 {
		return v.describeKeys(c)
	}
	textual, err := columnsOf(c, source)
	if err != nil {
		return err
	}
	targetTextual, err := columnsOf(c, target)
	if err != nil {
		return err
	}
	if textual != targetTextual {
		return &ConfigurationError{Subject: "table " + c.Target, Reason: fmt.Sprintf("column %s: it is a text in one table and a number in the other", c.Key.Partition), Hint: "Give both the same type."}
	}
	v.out.IntegralPartition = !textual
	return v.name(c, textual)
}

func (v *verifier) name(c contract.Contract, textual bool) error {
	source, err := contract.ParseTable(c.Source)
	if err != nil {
		return &ConfigurationError{Subject: "source", Reason: err.Error(), Hint: "Write catalog.schema.table."}
	}
	target, err := contract.ParseTable(c.Target)
	if err != nil {
		return &ConfigurationError{Subject: "target", Reason: err.Error(), Hint: "Write catalog.schema.table."}
	}
	v.statements = reconcile.Statements{
		Source:  reconcile.Side{SQL: source.SQL()},
		Target:  reconcile.Side{SQL: target.SQL()},
		Columns: reconcile.Columns{Sequence: contract.Quote(c.Key.Sequence), EventTime: contract.Quote(c.EventTime), Textual: textual},
		Block:   v.request.Block,
		Behind:  c.SettleDelay.Microseconds(),
	}
	if !c.Strict {
		v.statements.Behind--
	}
	if c.Key.Partition != "" {
		v.statements.Columns.Partition = contract.Quote(c.Key.Partition)
	}
	return nil
}

// columnsOf checks the columns of the key and the event time. It tells whether partitions are texts.
func columnsOf(c contract.Contract, t workspace.Table) (textual bool, err error) {
	if c.Key.Sequence == "" {
		return false, &ConfigurationError{Subject: "key", Reason: fmt.Sprintf("%q has no sequence; rows are compared by partition and sequence", c.Key.String()), Hint: "Write the key as partition,sequence."}
	}
	sequence, err := columnOf(t, c.Key.Sequence)
	if err != nil {
		return false, err
	}
	if !integral(sequence.Type) {
		return false, &ConfigurationError{Subject: "table " + t.FullName, Reason: fmt.Sprintf("column %s is %s; a sequence is a whole number of at most 64 bits", c.Key.Sequence, sequence.Type), Hint: "Name a BIGINT column."}
	}
	if err := checkEventTime(c, t); err != nil {
		return false, err
	}
	if c.Key.Partition == "" {
		return false, nil
	}
	partition, err := columnOf(t, c.Key.Partition)
	switch {
	case err != nil:
		return false, err
	case integral(partition.Type):
		return false, nil
	case partition.Type == "string", strings.HasPrefix(partition.Type, "varchar"):
		return true, nil
	}
	return false, &ConfigurationError{Subject: "table " + t.FullName, Reason: fmt.Sprintf("column %s is %s; a partition is a whole number or a text", c.Key.Partition, partition.Type), Hint: "Name another column."}
}

func integral(kind string) bool {
	switch kind {
	case "tinyint", "smallint", "int", "integer", "bigint", "byte", "short", "long":
		return true
	}
	return false
}

func columnOf(t workspace.Table, name string) (workspace.Column, error) {
	var names []string
	for _, c := range t.Columns {
		if strings.EqualFold(c.Name, name) {
			c.Type = strings.ToLower(c.Type)
			return c, nil
		}
		names = append(names, c.Name)
	}
	hint := "It has " + strings.Join(names, ", ") + "."
	if outer, _, ok := strings.Cut(name, "."); ok && slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, outer) }) {
		hint = fmt.Sprintf("It has %s, and a field inside of it is no column: name a column of its own.", outer)
	}
	return workspace.Column{}, &ConfigurationError{Subject: "table " + t.FullName, Reason: fmt.Sprintf("it has no column %s", name), Hint: hint, Err: errNoColumn}
}

var errNoColumn = errors.New("no such column")
