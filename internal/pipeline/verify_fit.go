package pipeline

import (
	"fmt"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// unfit says why a table cannot be read at one of its versions; empty when nothing speaks against it. Streaming tables
// can, and so can foreign and shared tables that are Delta.
func unfit(t workspace.Table) (reason, hint string) {
	kind := strings.ReplaceAll(strings.ToLower(t.Type), "_", " ")
	switch format := strings.ToUpper(t.Format); {
	case t.IsView():
		return fmt.Sprintf("is a %s and has no versions", kind), "name the table behind it"
	case strings.HasPrefix(format, "DELTA"): // DELTA, DELTASHARING, DELTA_UNIFORM_ICEBERG
		return "", ""
	case format == "" && !strings.EqualFold(t.Type, "FOREIGN"):
		return "", "" // the statements will tell
	case strings.EqualFold(t.Type, "FOREIGN"):
		return fmt.Sprintf("is a foreign table (%s) and has no versions here", orNone(format)), "name a Delta table that it is copied to"
	default:
		return fmt.Sprintf("is a table of format %s and has no versions of Delta's", format), "make it a Delta table, as with CONVERT TO DELTA or CREATE TABLE … AS SELECT, and name that"
	}
}

func orNone(format string) string {
	if format == "" {
		return "of no format that is told"
	}
	return format
}

// fit checks both tables of a contract before anything is read of them.
func fit(source, target workspace.Table) error {
	for _, t := range []workspace.Table{source, target} {
		if reason, hint := unfit(t); reason != "" {
			return doubtful{reconcile.Reason{Code: reconcile.CodeNoVersions, Text: fmt.Sprintf("%s %s: its rows at the loader's read time cannot be read; %s", t.FullName, reason, hint)}}
		}
	}
	return notTheSame(source, target)
}

// notTheSame refuses a table that is compared with itself under another name.
func notTheSame(source, target workspace.Table) error {
	if source.ID != "" && source.ID == target.ID {
		return &ConfigurationError{Subject: "target", Reason: fmt.Sprintf("%s is the source %s itself (table id %s)", target.FullName, source.FullName, source.ID), Hint: "Name the permanent table."}
	}
	return nil
}

// checkEventTime refuses what is no instant.
func checkEventTime(c contract.Contract, t workspace.Table) error {
	event, err := columnOf(t, c.EventTime)
	if err != nil || event.Type == "timestamp" {
		return err
	}
	out := &ConfigurationError{Subject: "table " + t.FullName, Reason: fmt.Sprintf("column %s is %s; an event time is an instant, and only TIMESTAMP is one", c.EventTime, event.Type), Hint: "Name a TIMESTAMP column."}
	switch {
	case event.Type == "timestamp_ntz":
		out.Reason = fmt.Sprintf("column %s is timestamp_ntz, which has no time zone: which instant a row is of cannot be told", c.EventTime)
		out.Hint = "Have what writes the table write a TIMESTAMP column beside it, cast in a session of the zone that is meant, and name that one."
	case event.Type == "date":
		out.Hint = "Name a TIMESTAMP column: a day does not tell when a row is old enough to be read."
	case event.Type == "string", strings.HasPrefix(event.Type, "varchar"):
		out.Hint = "Have what writes the table write a TIMESTAMP column, with the offset from UTC that the text means, and name that one."
	case integral(event.Type):
		out.Hint = "Have what writes the table write a TIMESTAMP column, such as timestamp_millis(" + c.EventTime + "), and name that one."
	}
	return out
}

// fitForPurge refuses what a purge could delete wrongly. Keys of different types would be compared by a cast that can take
// two keys for one, and a shallow clone has no files of its own: what is deleted and vacuumed from under it is gone.
func fitForPurge(c contract.Contract, source, target workspace.Table) error {
	for _, t := range []workspace.Table{source, target} {
		if reason, hint := unfit(t); reason != "" {
			return &ConfigurationError{Subject: "table " + t.FullName, Reason: "it " + reason + ", and a purge is held to one version of each table", Hint: capital(hint) + "."}
		}
	}
	if err := notTheSame(source, target); err != nil {
		return err
	}
	if strings.HasSuffix(strings.ToUpper(target.Type), "_SHALLOW_CLONE") {
		return &ConfigurationError{Subject: "table " + target.FullName, Reason: "it is a shallow clone, whose rows may be in files of the source: rows that are deleted there can be lost here when the source is vacuumed",
			Hint: "Make it a table of its own, as with CREATE TABLE … DEEP CLONE, and name that as the target."}
	}
	for _, name := range c.Key.Names() {
		in, err := fieldOf(source, name)
		if err != nil {
			return err
		}
		out, err := fieldOf(target, name)
		if err != nil {
			return err
		}
		if in.Type != out.Type && !(integral(in.Type) && integral(out.Type)) && !(textual(in.Type) && textual(out.Type)) {
			return &ConfigurationError{Subject: "key column " + name, Reason: fmt.Sprintf("it is %s in %s and %s in %s: a cast could take two keys for one, and delete a row that was never loaded", in.Type, source.FullName, out.Type, target.FullName),
				Hint: "Give the column one type in both tables."}
		}
	}
	return nil
}

func textual(kind string) bool {
	return kind == "string" || strings.HasPrefix(kind, "varchar") || strings.HasPrefix(kind, "char")
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
