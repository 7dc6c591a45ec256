package local

import (
	"context"
	"fmt"
	"maps"
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
		session.Text = piece.Text
		if err := w.exec(ctx, session); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return &taskError{message: err.Error(), trace: fmt.Sprintf("line %d:\n%s", piece.Line, piece.Text)}
		}
		use(&session, piece.Text)
		w.mu.Lock()
		t.Count++
		w.mu.Unlock()
	}
	return nil
}

// use follows what changes the session of a script, in which statements share one: USE and SET TIME ZONE.
func use(s *engine.Statement, sql string) {
	if word, _, _ := strings.Cut(sql, " "); !strings.EqualFold(word, "USE") && !strings.EqualFold(word, "SET") {
		return
	}
	parsed, err := dialect.Parse(sql, dialect.Session{Catalog: s.Catalog, Schema: s.Schema, Zone: s.Zone})
	if err != nil {
		return
	}
	switch p := parsed.(type) {
	case *dialect.SetTimeZone:
		s.Zone = p.Zone
	case *dialect.Use:
		switch parts := p.Name.Parts; {
		case p.Catalog:
			s.Catalog, s.Schema = parts[0], "default"
		case len(parts) == 2:
			s.Catalog, s.Schema = parts[0], parts[1]
		default:
			s.Schema = parts[0]
		}
	}
}
