package local

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"
)

// file is a workspace object: a plain file, a folder, or a notebook, whose content is its source as it was imported.
type file struct {
	ID       int64     `json:"id"`
	Kind     string    `json:"kind"`
	Language string    `json:"language,omitempty"`
	Content  []byte    `json:"content,omitempty"`
	Created  time.Time `json:"created"`
	Modified time.Time `json:"modified"`
}

const (
	fileKind      = "FILE"
	notebookKind  = "NOTEBOOK"
	directoryKind = "DIRECTORY"
	maxFile       = 10 << 20
)

// cleanPath reads a workspace path; /Workspace in front of it means nothing.
func cleanPath(p string) (string, error) {
	if !strings.HasPrefix(p, "/") {
		return "", badRequest("Path (%s) doesn't start with '/'", p)
	}
	p = path.Clean(p)
	if rest, ok := strings.CutPrefix(p, "/Workspace/"); ok {
		p = "/" + rest
	}
	return p, nil
}

// isDirectory knows the folders every workspace has, and those made. The caller holds w.mu.
func (w *Workspace) isDirectory(p string) bool {
	if slices.Contains([]string{"/", "/Workspace", "/Shared", "/Users", "/Users/" + ownerName}, p) {
		return true
	}
	f := w.book.Files[p]
	return f != nil && f.Kind == directoryKind
}

// put stores a file. The caller holds w.mu.
func (w *Workspace) put(p string, content []byte, kind, language string, overwrite bool) error {
	if len(content) > maxFile {
		return &apiError{400, "MAX_NOTEBOOK_SIZE_EXCEEDED", "File size imported is (" + plain(len(content)) + " bytes), exceeded max size (10485760 bytes)"}
	}
	if w.isDirectory(p) {
		return badRequest("Cannot overwrite the folder (%s).", p)
	}
	if !w.isDirectory(path.Dir(p)) {
		return notFound("The parent folder (%s) does not exist.", path.Dir(p))
	}
	now := w.clock.Now()
	old := w.book.Files[p]
	if old != nil && !overwrite {
		return &apiError{400, "RESOURCE_ALREADY_EXISTS", "Path (" + p + ") already exists."}
	}
	f := &file{ID: w.book.newID(), Kind: kind, Language: language, Content: content, Created: now, Modified: now}
	if old != nil {
		if old.Kind != kind {
			return &apiError{400, "INVALID_PARAMETER_VALUE", "Cannot overwrite the asset at " + p + " due to type mismatch (asked: " + kind + ", actual: " + old.Kind + ")."}
		}
		f.ID, f.Created = old.ID, old.Created
	}
	w.book.Files[p] = f
	w.changed()
	return nil
}

// makeDirs makes a folder and those above it. The caller holds w.mu.
func (w *Workspace) makeDirs(p string) error {
	for ; !w.isDirectory(p); p = path.Dir(p) {
		if w.book.Files[p] != nil {
			return &apiError{400, "RESOURCE_ALREADY_EXISTS", "A file exists at " + p + "."}
		}
		now := w.clock.Now()
		w.book.Files[p] = &file{ID: w.book.newID(), Kind: directoryKind, Created: now, Modified: now}
		w.changed()
	}
	return nil
}

// fileFor is the text of what a task names.
func (w *Workspace) fileFor(name, kind string) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p, err := cleanPath(name)
	if err != nil {
		return "", &taskError{message: err.Error()}
	}
	f := w.book.Files[p]
	switch {
	case f == nil && kind == fileKind:
		return "", &taskError{message: "Unable to access the SQL file " + name + " in the workspace: it does not exist."}
	case f == nil:
		return "", &taskError{message: "Unable to access the notebook " + cmp.Or(name, `""`) + ". Either it does not exist, or the identity used to run this job lacks the required permissions."}
	case kind == notebookKind && f.Kind != notebookKind:
		return "", &taskError{message: name + " is a " + strings.ToLower(f.Kind) + ", not a notebook."}
	case kind == notebookKind && f.Language != "SQL":
		return "", &taskError{message: "notebook_task: the local workspace runs SQL notebooks only, and " + name + " is written in " + f.Language + "."}
	case f.Kind == directoryKind:
		return "", &taskError{message: name + " is a folder, not a file."}
	}
	return string(f.Content), nil
}

// notebookLanguage tells, by extension and first line, whether content is the source of a notebook.
func notebookLanguage(p string, content []byte) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(string(content[:min(len(content), 256)]), "\ufeff"), "\n")
	headers := map[string][2]string{".sql": {notebookHeader, "SQL"}, ".py": {"# Databricks notebook source", "PYTHON"},
		".scala": {"// Databricks notebook source", "SCALA"}, ".r": {"# Databricks notebook source", "R"}}
	if h, ok := headers[strings.ToLower(path.Ext(p))]; ok && strings.TrimSpace(first) == h[0] {
		return h[1]
	}
	return ""
}
