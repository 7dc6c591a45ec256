package local

import (
	"bytes"
	"context"
	"encoding/base64"
	"io"
	"mime"
	"mime/multipart"
	"path"
	"slices"
	"strings"
)

type importBody struct {
	Path      string `json:"path"`
	Format    string `json:"format"`
	Language  string `json:"language"`
	Content   string `json:"content"`
	Overwrite bool   `json:"overwrite"`
}

func (w *Workspace) importFile(_ context.Context, c *call) (any, error) {
	var b importBody
	var content []byte
	kind, parameters, _ := mime.ParseMediaType(c.Header.Get("Content-Type"))
	if kind == "multipart/form-data" {
		var err error
		if b, content, err = readForm(c.body, parameters["boundary"]); err != nil {
			return nil, err
		}
	} else {
		if err := c.decode(&b); err != nil {
			return nil, err
		}
		var err error
		if content, err = base64.StdEncoding.DecodeString(b.Content); err != nil {
			return nil, malformed("The content is not base64: %v", err)
		}
	}
	p, err := cleanPath(b.Path)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.importAs(p, b, content)
}

// importAs decides by format, language and header whether a file or a notebook comes of it.
func (w *Workspace) importAs(p string, b importBody, content []byte) (any, error) {
	language := notebookLanguage(p, content)
	switch b.Format {
	case "RAW":
		language = ""
	case "AUTO":
		if language != "" {
			p = strings.TrimSuffix(p, path.Ext(p))
		}
	case "", "SOURCE":
		if b.Language == "" {
			return nil, badRequest("The language is required to import format SOURCE.")
		}
		language = b.Language
	default:
		return nil, badRequest("Format %s is not offered by the local workspace: use SOURCE, RAW or AUTO.", b.Format)
	}
	if language == "" {
		return map[string]any{}, w.put(p, content, fileKind, "", b.Overwrite)
	}
	return map[string]any{}, w.put(p, content, notebookKind, language, b.Overwrite)
}

func readForm(body []byte, boundary string) (b importBody, content []byte, err error) {
	form, err := multipart.NewReader(bytes.NewReader(body), boundary).ReadForm(maxBody)
	if err != nil {
		return b, nil, malformed("The form cannot be read: %v", err)
	}
	first := func(name string) string {
		if v := form.Value[name]; len(v) > 0 {
			return v[0]
		}
		return ""
	}
	b = importBody{Path: first("path"), Format: first("format"), Language: first("language"), Overwrite: first("overwrite") == "true"}
	if len(form.File["content"]) == 0 {
		return b, []byte(first("content")), nil
	}
	f, err := form.File["content"][0].Open()
	if err != nil {
		return b, nil, err
	}
	defer f.Close()
	content, err = io.ReadAll(f)
	return b, content, err
}

func (w *Workspace) importRawFile(_ context.Context, c *call) (any, error) {
	p, err := cleanPath("/" + c.PathValue("path"))
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return map[string]any{}, w.put(p, c.body, fileKind, "", c.query("overwrite") == "true")
}

// at finds what a request's path names. The caller holds w.mu.
func (w *Workspace) at(name string) (string, *file, error) {
	p, err := cleanPath(name)
	if err != nil {
		return "", nil, err
	}
	f := w.book.Files[p]
	if f == nil && w.isDirectory(p) {
		f = &file{Kind: directoryKind}
	}
	if f == nil {
		return "", nil, notFound("Path (%s) doesn't exist.", p)
	}
	return p, f, nil
}

func (w *Workspace) exportFile(_ context.Context, c *call) (any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, f, err := w.at(c.query("path"))
	if err != nil {
		return nil, err
	}
	if f.Kind == directoryKind {
		return nil, badRequest("A folder cannot be exported in this format.")
	}
	if c.query("direct_download") == "true" {
		return rawAnswer{"application/octet-stream", f.Content}, nil
	}
	out := map[string]any{"content": base64.StdEncoding.EncodeToString(f.Content)}
	if f.Kind == notebookKind {
		out["file_type"] = map[string]string{"SQL": "sql", "PYTHON": "py", "SCALA": "scala", "R": "r"}[f.Language]
	}
	return out, nil
}

func (f *file) view(p string) map[string]any {
	v := map[string]any{"path": p, "object_type": f.Kind, "object_id": f.ID}
	if f.Kind == notebookKind {
		v["language"] = f.Language
	}
	if f.Kind == fileKind {
		v["size"] = len(f.Content)
	}
	if !f.Created.IsZero() {
		v["created_at"], v["modified_at"] = f.Created.UnixMilli(), f.Modified.UnixMilli()
	}
	return v
}

func (w *Workspace) fileStatus(_ context.Context, c *call) (any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p, f, err := w.at(c.query("path"))
	if err != nil {
		return nil, err
	}
	return f.view(p), nil
}

func (w *Workspace) listFiles(_ context.Context, c *call) (any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p, f, err := w.at(c.query("path"))
	if err != nil {
		return nil, err
	}
	if f.Kind != directoryKind {
		return map[string]any{"objects": []any{f.view(p)}}, nil
	}
	var names []string
	for n := range w.book.Files {
		if path.Dir(n) == p {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	out := map[string]any{}
	var views []any
	for _, n := range names {
		views = append(views, w.book.Files[n].view(n))
	}
	if views != nil {
		out["objects"] = views
	}
	return out, nil
}

func (w *Workspace) deleteFile(_ context.Context, c *call) (any, error) {
	var b struct {
		Path      string `json:"path"`
		Recursive bool   `json:"recursive"`
	}
	if err := c.decode(&b); err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	p, _, err := w.at(b.Path)
	if err != nil {
		return nil, err
	}
	var inside []string
	for n := range w.book.Files {
		if strings.HasPrefix(n, strings.TrimSuffix(p, "/")+"/") {
			inside = append(inside, n)
		}
	}
	if len(inside) > 0 && !b.Recursive {
		return nil, &apiError{400, "DIRECTORY_NOT_EMPTY", "Folder (" + p + ") is not empty"}
	}
	for _, n := range append(inside, p) {
		delete(w.book.Files, n)
	}
	w.changed()
	return map[string]any{}, nil
}

func (w *Workspace) makeDirectories(_ context.Context, c *call) (any, error) {
	var b struct {
		Path string `json:"path"`
	}
	if err := c.decode(&b); err != nil {
		return nil, err
	}
	p, err := cleanPath(b.Path)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return map[string]any{}, w.makeDirs(p)
}
