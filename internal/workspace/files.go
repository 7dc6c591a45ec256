package workspace

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"path"
)

// mostFile is the API's limit for an import.
const mostFile = 10 << 20

// ImportFile writes a workspace file, and makes the folders above it when they are missing. Without overwrite an
// existing one is ErrConflict. The content stays as it is: a notebook header makes no notebook of it.
func (c *Client) ImportFile(ctx context.Context, name string, content []byte, overwrite bool) error {
	if len(content) > mostFile {
		return &Error{Op: "write file", Subject: name, Err: fmt.Errorf("%d bytes are more than the %d that an import takes", len(content), mostFile)}
	}
	r := post("write file", name, "/api/2.0/workspace/import",
		map[string]any{"path": name, "format": "RAW", "content": base64.StdEncoding.EncodeToString(content), "overwrite": overwrite})
	r.repeatable = overwrite
	_, err := c.call(ctx, r)
	if !errors.Is(err, ErrNotFound) {
		return err
	}
	if _, err := c.call(ctx, post("make folder", path.Dir(name), "/api/2.0/workspace/mkdirs", map[string]any{"path": path.Dir(name)}).again()); err != nil {
		return err
	}
	_, err = c.call(ctx, r)
	return err
}

// ReadFile reads a workspace file or the source of a notebook. A missing one is ErrNotFound.
func (c *Client) ReadFile(ctx context.Context, name string) ([]byte, error) {
	var out struct {
		Content string `json:"content"`
	}
	if err := c.read(ctx, get("read file", name, "/api/2.0/workspace/export", url.Values{"path": {name}, "format": {"AUTO"}}), &out); err != nil {
		return nil, err
	}
	content, err := base64.StdEncoding.DecodeString(out.Content)
	if err != nil {
		return nil, &Error{Op: "read file", Subject: name, Err: err}
	}
	return content, nil
}

// DeleteFile deletes a file, never a folder with something in it. One that was missing from the start is ErrNotFound.
func (c *Client) DeleteFile(ctx context.Context, name string) error {
	answer, err := c.call(ctx, post("delete file", name, "/api/2.0/workspace/delete", map[string]any{"path": name, "recursive": false}).again())
	if answer.repeated && errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}
