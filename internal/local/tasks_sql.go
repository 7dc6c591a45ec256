package local

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/dialect"
	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

func (w *Workspace) runSQLTask(ctx context.Context, r *jobRun, t *taskRun) error {
	c := object(t.Config["sql_task"])
	for _, kind := range []string{"query", "dashboard", "alert"} {
		if c[kind] != nil {
			return &taskError{message: fmt.Sprintf("sql_task.%s cannot run in the local workspace: it keeps no queries, dashboards or alerts. Use sql_task.file.", kind)}
		}
	}
	f := object(c["file"])
	if text(f["source"]) == "GIT" {
		return &taskError{message: "sql_task.file with source GIT cannot run in the local workspace: it has no Git. Import the file into the workspace."}
	}
	content, err := w.fileFor(text(f["path"]), fileKind)
	if err != nil {
		return err
	}
	return w.runScript(ctx, r, t, content, texts(c["parameters"]))
}

const (
	notebookHeader = "-- Databricks notebook source"
	cellBreak      = "-- COMMAND ----------"
	magic          = "-- MAGIC"
)

func (w *Workspace) runNotebook(ctx context.Context, r *jobRun, t *taskRun) error {
	c := object(t.Config["notebook_task"])
	if text(c["source"]) == "GIT" {
		return &taskError{message: "notebook_task with source GIT cannot run in the local workspace: it has no Git. Import the notebook into the workspace."}
	}
	content, err := w.fileFor(text(c["notebook_path"]), notebookKind)
	if err != nil {
		return err
	}
	sql, err := notebookSQL(content)
	if err != nil {
		return err
	}
	return w.runScript(ctx, r, t, sql, texts(c["base_parameters"]))
}

// notebookSQL joins the SQL cells of a notebook. Markdown is left out; other languages cannot run here.
func notebookSQL(content string) (string, error) {
	content = strings.TrimPrefix(strings.TrimPrefix(content, "\ufeff"), notebookHeader)
	var cells []string
	for _, cell := range strings.Split(content, cellBreak) {
		cell = strings.TrimSpace(cell)
		if rest, ok := strings.CutPrefix(cell, magic); ok {
			language, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
			if strings.HasPrefix(language, "%md") {
				continue
			}
			if !strings.HasPrefix(language, "%sql") {
				return "", &taskError{message: fmt.Sprintf("notebook_task: the local workspace runs SQL cells only, and this notebook has a %q cell.", strings.Fields(language + " ?")[0])}
			}
			cell = strings.ReplaceAll(strings.Replace(cell, "%sql", "", 1), magic, "")
		}
		if cell != "" {
			cells = append(cells, strings.TrimRight(cell, "; \n\t"))
		}
	}
	return strings.Join(cells, "\n;\n"), nil
}

// runScript runs the statements of a file one after the other. The first failure ends it; what came before stays.
func (w *Workspace) runScript(ctx context.Context, r *jobRun, t *taskRun, content string, given map[string]string) error {
	values := map[string]string{}
	maps.Copy(values, given)
	maps.Copy(values, r.Parameters) // a job parameter wins over a task parameter of its name
	var parameters []engine.Parameter
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v := w.resolve(r, t, values[name])
		parameters = append(parameters, engine.Parameter{Name: name, Value: &v})
	}
	w.mu.Lock()
	t.Text, t.Count = content, 0
	w.mu.Unlock()
	session := engine.Statement{Parameters: parameters, User: r.Creator,
		Job: &engine.Job{ID: r.JobID, RunID: r.ID, TaskRunID: t.ID, Name: r.Name}}
	for _, piece := range dialect.Split(content) {
		if use(&session, piece.Text) {
			continue
		}
		session.Text = piece.Text
		if err := w.exec(ctx, session); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return &taskError{message: err.Error(), trace: fmt.Sprintf("line %d:\n%s", piece.Line, piece.Text)}
		}
		w.mu.Lock()
		t.Count++
		w.mu.Unlock()
	}
	return nil
}

var useStatement = regexp.MustCompile("(?is)^\\s*USE\\s+(?:(CATALOG|SCHEMA|DATABASE)\\s+)?([`\\w]+)(?:\\.([`\\w]+))?\\s*$")

// use plays USE CATALOG, USE SCHEMA and USE within a script, where statements share a session.
func use(s *engine.Statement, sql string) bool {
	m := useStatement.FindStringSubmatch(sql)
	if m == nil {
		return false
	}
	first, second := strings.Trim(m[2], "`"), strings.Trim(m[3], "`")
	switch {
	case strings.EqualFold(m[1], "CATALOG"):
		s.Catalog, s.Schema = first, "default"
	case second != "":
		s.Catalog, s.Schema = first, second
	default:
		s.Schema = first
	}
	return true
}
