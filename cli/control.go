package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// control steers a local workspace over the routes that a real one does not have.
type control struct {
	host, token string
	client      *http.Client
}

func newControl(host, token string) *control {
	return &control{host, token, &http.Client{Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true}}}
}

// answers tells whether the workspace is there and takes the token.
func (c *control) answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return c.call(ctx, http.MethodGet, "/local/v1/clock", nil, nil) == nil
}

// call sends in, unless nil, and reads the answer into out, unless nil. What in and out hold is JSON.
func (c *control) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if raw, ok := in.([]byte); ok {
		body = bytes.NewReader(raw)
	} else if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(data)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.host+path, body)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	response, err := c.client.Do(request)
	if err != nil {
		return fmt.Errorf("reach the local workspace: %w", err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("read the local workspace's answer: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return refusal(response.StatusCode, data)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(data, out); err != nil {
		return fmt.Errorf("read the local workspace's answer: %w", err)
	}
	return nil
}

// refused is an answer other than 200.
type refused struct {
	status int
	text   string
}

func (r *refused) Error() string { return r.text }

func refusal(status int, data []byte) error {
	var answer struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(data, &answer) != nil || answer.Message == "" {
		answer.Message = fmt.Sprintf("the local workspace answers HTTP %d", status)
	}
	return &refused{status, answer.Message}
}
