package local

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// statementView is a statement as the API shows it. At once means that the caller did not wait: PENDING is what comes
// first, whatever happened meanwhile.
func (w *Workspace) statementView(st *statement, atOnce bool) (map[string]any, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	out := map[string]any{"statement_id": st.id}
	state := st.state
	if st.polls > 0 {
		st.polls--
		atOnce = true
	}
	if atOnce {
		state = "PENDING"
	}
	status := map[string]any{"state": state}
	out["status"] = status
	if state == "FAILED" {
		code, message := "BAD_REQUEST", st.other
		if st.failure != nil {
			message = "[" + st.failure.Class + "] " + st.failure.Message
			if st.failure.SQLState != "" {
				message += " SQLSTATE: " + st.failure.SQLState
				status["sql_state"] = st.failure.SQLState
			}
		}
		status["error"] = map[string]any{"error_code": code, "message": message}
	}
	if state != "SUCCEEDED" {
		return out, nil
	}
	out["manifest"] = st.manifest()
	result := map[string]any{}
	if len(st.result.chunks) > 0 {
		var err error
		if result, err = w.chunkView(st, 0); err != nil {
			return nil, err
		}
	}
	out["result"] = result
	return out, nil
}

func (st *statement) manifest() map[string]any {
	columns := []any{}
	for i, c := range st.columns {
		columns = append(columns, columnView(c, i))
	}
	m := map[string]any{"format": st.format, "schema": map[string]any{"column_count": len(columns), "columns": columns},
		"total_chunk_count": len(st.result.chunks), "total_row_count": st.result.rows, "truncated": st.result.truncated}
	var chunks []any
	for i, c := range st.result.chunks {
		v := map[string]any{"chunk_index": i, "row_offset": c.rowOffset, "row_count": c.rows}
		if st.external {
			v["byte_count"] = c.bytes
		}
		chunks = append(chunks, v)
	}
	if chunks != nil {
		m["chunks"] = chunks
	}
	if st.external {
		m["total_byte_count"] = st.result.size
	}
	return m
}

// chunkView is one chunk: its rows, or a link to them. The caller holds st.mu.
func (w *Workspace) chunkView(st *statement, i int) (map[string]any, error) {
	c := st.result.chunks[i]
	v := map[string]any{"chunk_index": i, "row_offset": c.rowOffset, "row_count": c.rows}
	if i+1 < len(st.result.chunks) {
		v["next_chunk_index"] = i + 1
		v["next_chunk_internal_link"] = fmt.Sprintf("/api/2.0/sql/statements/%s/result/chunks/%d?row_offset=%d", st.id, i+1, c.rowOffset+c.rows)
	}
	if !st.external {
		data, err := st.result.read(i)
		if err != nil {
			return nil, err
		}
		v["data_array"] = json.RawMessage(data)
		return v, nil
	}
	v["byte_count"] = c.bytes
	st.links++
	v["external_link"] = fmt.Sprintf("%s/local/results/%s/%d?n=%d&key=%s", w.Host(), st.id, i, st.links, st.key)
	v["expiration"] = time.Now().UTC().Add(15 * time.Minute).Format(time.RFC3339)
	return map[string]any{"external_links": []any{v}}, nil
}

func (w *Workspace) getChunk(_ context.Context, c *call) (any, error) {
	st, err := w.statementOf(c)
	if err != nil {
		return nil, err
	}
	i, err := strconv.Atoi(c.PathValue("chunk"))
	if err != nil {
		return nil, badRequest("Invalid chunk index %q.", c.PathValue("chunk"))
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	switch {
	case st.state == "CLOSED":
		return nil, notFound("The result of statement %s is closed: results are kept for an hour.", st.id)
	case st.state != "SUCCEEDED":
		return nil, conflict(fmt.Sprintf("The statement %s has no result: it is %s.", st.id, st.state))
	case i < 0 || i >= len(st.result.chunks):
		return nil, notFound("Chunk %d of statement %s does not exist: it has %d.", i, st.id, len(st.result.chunks))
	}
	return w.chunkView(st, i)
}

// download serves an external link. Object stores refuse a signed link that comes with an Authorization header.
func (w *Workspace) download(_ context.Context, c *call) (any, error) {
	st := w.results.get(c.PathValue("id"))
	if st == nil || c.query("key") != st.key {
		return nil, &apiError{http.StatusForbidden, "AccessDenied", "The link is not valid."}
	}
	if n, err := strconv.Atoi(c.query("n")); err == nil && n <= w.Behaviour().ExpiredLinks {
		return nil, &apiError{http.StatusForbidden, "AccessDenied", "Request has expired."}
	}
	if c.Header.Get("Authorization") != "" {
		return nil, &apiError{http.StatusBadRequest, "InvalidArgument", "Only one auth mechanism allowed: the link is signed, do not send Authorization."}
	}
	i, err := strconv.Atoi(c.PathValue("chunk"))
	st.mu.Lock()
	defer st.mu.Unlock()
	if err != nil || st.result == nil || i < 0 || i >= len(st.result.chunks) {
		return nil, &apiError{http.StatusNotFound, "NoSuchKey", "The result is gone."}
	}
	data, err := st.result.read(i)
	if err != nil {
		return nil, err
	}
	contentType := "application/json"
	if st.format == "CSV" {
		contentType = "text/csv"
	}
	return rawAnswer{contentType, data}, nil
}

// columnView is a column of a manifest: Spark's type in both of the API's spellings.
func columnView(c engine.Column, position int) map[string]any {
	names := map[string]string{"bigint": "LONG", "int": "INT", "integer": "INT", "smallint": "SHORT", "tinyint": "BYTE", "void": "NULL", "timestamp_ltz": "TIMESTAMP"}
	base, rest, _ := strings.Cut(strings.ToLower(c.Type), "(")
	base, _, _ = strings.Cut(base, "<")
	name, ok := names[base]
	if !ok {
		name = strings.ToUpper(strings.Fields(base + " string")[0])
	}
	v := map[string]any{"name": c.Name, "position": position, "type_name": name, "type_text": strings.ToUpper(c.Type)}
	if base == "decimal" {
		precision, scale, _ := strings.Cut(strings.TrimSuffix(rest, ")"), ",")
		v["type_precision"], _ = strconv.Atoi(strings.TrimSpace(precision))
		v["type_scale"], _ = strconv.Atoi(strings.TrimSpace(scale))
	}
	return v
}

// wireText is a value as the API writes it, from its SQL text: timestamps in ISO 8601 with what ends them, all else as it is.
func wireText(columnType, value, zone string) string {
	switch {
	case strings.EqualFold(columnType, "timestamp") && len(value) >= 19 && value[10] == ' ':
		return isoFraction(value) + zone
	case strings.EqualFold(columnType, "timestamp_ntz") && len(value) >= 19 && value[10] == ' ':
		return isoFraction(value)
	}
	return value
}

// isoFraction writes at least milliseconds, and microseconds where there are any.
func isoFraction(value string) string {
	whole, fraction, _ := strings.Cut(value, ".")
	for len(fraction) < 3 {
		fraction += "0"
	}
	return whole[:10] + "T" + whole[11:] + "." + fraction
}
