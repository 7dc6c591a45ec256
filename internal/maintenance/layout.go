package maintenance

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
)

// Layout is what the statements depend on in the table as it is.
type Layout struct {
	// Type is MANAGED, EXTERNAL, VIEW, FOREIGN and so on; Format is DELTA for Delta tables.
	Type, Format string
	// Columns are all columns, PartitionColumns those among them by which the table is partitioned.
	Columns, PartitionColumns []string
	// Clustered says that the table has liquid clustering, Unclustered that it surely has none.
	Clustered, Unclustered bool
	// DeletedFileRetention and LogRetention are those in force.
	DeletedFileRetention, LogRetention time.Duration
}

// ValidateOn finds what Delta would refuse on the table as it is. Between is the longest time between two runs; zero where
// it is not known.
func (p Plan) ValidateOn(l Layout, between time.Duration) []contract.Problem {
	if problem, ok := l.refuse(p.Table); ok {
		return []contract.Problem{problem}
	}
	out := append(p.Optimize.onClustering(l), p.Optimize.onColumns(l)...)
	out = append(out, p.ValidateAgainst(l.DeletedFileRetention)...)
	if p.Vacuum != nil && p.Vacuum.Lite && between > l.LogRetention {
		out = append(out, contract.Problem{Field: "vacuum.lite", Value: "true",
			Reason: fmt.Sprintf("VACUUM LITE needs the log since the last VACUUM, the table keeps its log for %s, and up to %s lie between two windows (DELTA_CANNOT_VACUUM_LITE)", interval.Text(l.LogRetention), interval.Text(between)),
			Hint:   "Leave lite out, open the window more often, or lengthen delta.logRetentionDuration of the table"})
	}
	return out
}

// refuse tells why a relation cannot be optimized at all.
func (l Layout) refuse(table string) (contract.Problem, bool) {
	problem := contract.Problem{Field: "table", Value: table}
	switch {
	case l.Type == "VIEW" || l.Type == "MATERIALIZED_VIEW" || l.Type == "METRIC_VIEW":
		problem.Reason, problem.Hint = fmt.Sprintf("it is a %s and has no files of its own", l.Type), "Name the table that holds the rows"
	case l.Type == "FOREIGN":
		problem.Reason, problem.Hint = "it is a FOREIGN table, whose files the system it comes from keeps", "Optimize it there"
	case l.Format != "" && l.Format != "DELTA" && l.Format != "ICEBERG":
		problem.Reason, problem.Hint = fmt.Sprintf("it is stored as %s, and OPTIMIZE is for Delta tables", l.Format), "Name a Delta table"
	default:
		return problem, false
	}
	return problem, true
}

func (o Optimize) onClustering(l Layout) []contract.Problem {
	var out []contract.Problem
	if len(o.ZOrderBy) > 0 && l.Clustered {
		out = append(out, contract.Problem{Field: "zorder_by", Value: strings.Join(o.ZOrderBy, ", "),
			Reason: "the table has liquid clustering, which orders it already (DELTA_CLUSTERING_WITH_ZORDER_BY)", Hint: "Leave zorder_by out, or run ALTER TABLE ... CLUSTER BY with these columns"})
	}
	if o.Where != "" && l.Clustered {
		out = append(out, contract.Problem{Field: "where", Value: o.Where,
			Reason: "the table has liquid clustering, and a predicate limits OPTIMIZE by partitions (DELTA_CLUSTERING_WITH_PARTITION_PREDICATE)", Hint: "Leave where out: OPTIMIZE of a clustered table rewrites only what needs it"})
	}
	if o.Full && l.Unclustered {
		out = append(out, contract.Problem{Field: "full", Value: "true",
			Reason: "the table has no liquid clustering (DELTA_OPTIMIZE_FULL_NOT_SUPPORTED)", Hint: "Leave full out, or run ALTER TABLE ... CLUSTER BY first"})
	}
	return out
}

func (o Optimize) onColumns(l Layout) []contract.Problem {
	if l.Clustered || len(l.Columns) == 0 {
		return nil
	}
	var out []contract.Problem
	for _, name := range o.ZOrderBy {
		problem := contract.Problem{Field: "zorder_by", Value: name}
		switch top, _, _ := strings.Cut(name, "."); {
		case has(l.PartitionColumns, name):
			problem.Reason, problem.Hint = "it is a partition column, by which files are apart already (DELTA_ZORDERING_ON_PARTITION_COLUMN)", "Name data columns only"
		case !has(l.Columns, name) && !has(l.Columns, top):
			problem.Reason, problem.Hint = "the table has no such column (DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST)", "Its columns are "+strings.Join(l.Columns, ", ")
		default:
			continue
		}
		out = append(out, problem)
	}
	if o.Where != "" {
		out = append(out, l.onPredicate(o.Where)...)
	}
	return out
}

// onPredicate wants partition columns and no others: a predicate on data columns cannot leave files out.
func (l Layout) onPredicate(where string) []contract.Problem {
	const needs = "the predicate of OPTIMIZE is on partition columns only"
	if len(l.PartitionColumns) == 0 {
		return []contract.Problem{{Field: "where", Value: where, Reason: needs + ", and the table has none (DELTA_NON_PARTITION_COLUMN_REFERENCE)", Hint: "Leave where out"}}
	}
	for _, r := range references(where) {
		name, known := r.column(l.Columns)
		switch {
		case has(l.PartitionColumns, name):
		case known:
			return []contract.Problem{{Field: "where", Value: where, Reason: fmt.Sprintf("%s, and %s is none (DELTA_NON_PARTITION_COLUMN_REFERENCE)", needs, name),
				Hint: "The partition columns are " + strings.Join(l.PartitionColumns, ", ")}}
		default:
			return []contract.Problem{{Field: "where", Value: where, Reason: fmt.Sprintf("the table has no column %s", name),
				Hint: "The partition columns are " + strings.Join(l.PartitionColumns, ", ")}}
		}
	}
	return nil
}

func has(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}
