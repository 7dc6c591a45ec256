package local

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/databricks/databricks-sdk-go/service/sql"
	"github.com/google/go-cmp/cmp"
)

const statements = "/api/2.0/sql/statements"

// numbers selects n rows with each kind of value a client must read rightly.
func numbers(n int) string {
	return fmt.Sprintf("SELECT id, CAST(NULL AS STRING) AS nothing, CAST(1.5 AS DECIMAL(20,2)) AS d, TIMESTAMP '2026-03-02 06:00:00.25' AS t FROM range(%d)", n)
}

// wide selects n rows of a thousand bytes.
func wide(n int) string { return fmt.Sprintf("SELECT id, repeat('x', 1000) AS x FROM range(%d)", n) }

func submit(t *testing.T, w *Workspace, sql, more string) map[string]any {
	t.Helper()
	return ok(t, w, "POST", statements, fmt.Sprintf(`{"warehouse_id":%q,"statement":%q%s}`, w.WarehouseID(), sql, more))
}

func stateOf(statement map[string]any) string { return text(object(statement["status"])["state"]) }

func settled(t *testing.T, w *Workspace, statement map[string]any) map[string]any {
	t.Helper()
	eventually(t, "the statement ends", func() bool {
		statement = ok(t, w, "GET", statements+"/"+text(statement["statement_id"]), "")
		return stateOf(statement) != "PENDING" && stateOf(statement) != "RUNNING"
	})
	return statement
}

func TestStatementInline(t *testing.T) {
	t.Parallel()
	w := open(t)
	got := submit(t, w, numbers(2), "")
	id := got["statement_id"]
	delete(got, "statement_id")
	var want any
	if err := decodeJSON([]byte(`{"status":{"state":"SUCCEEDED"},
		"manifest":{"format":"JSON_ARRAY","total_chunk_count":1,"total_row_count":2,"truncated":false,
			"chunks":[{"chunk_index":0,"row_offset":0,"row_count":2}],
			"schema":{"column_count":4,"columns":[
				{"name":"id","position":0,"type_name":"LONG","type_text":"BIGINT"},
				{"name":"nothing","position":1,"type_name":"STRING","type_text":"STRING"},
				{"name":"d","position":2,"type_name":"DECIMAL","type_text":"DECIMAL(20,2)","type_precision":20,"type_scale":2},
				{"name":"t","position":3,"type_name":"TIMESTAMP","type_text":"TIMESTAMP"}]}},
		"result":{"chunk_index":0,"row_offset":0,"row_count":2,"data_array":[["0",null,"1.50","2026-03-02T06:00:00.250Z"],["1",null,"1.50","2026-03-02T06:00:00.250Z"]]}}`), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, any(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	empty := submit(t, w, numbers(0), "")
	if stateOf(empty) != "SUCCEEDED" || len(object(empty["result"])) != 0 {
		t.Errorf("no rows: %v", empty)
	}
	advance(t, w, 61*time.Minute)
	submit(t, w, numbers(1), "")
	if got := ok(t, w, "GET", fmt.Sprint(statements, "/", id), ""); stateOf(got) != "CLOSED" {
		t.Errorf("an hour later: %v", got)
	}
	if status, _, _ := send(t, w, "GET", fmt.Sprint(statements, "/", id, "/result/chunks/0"), ""); status != 404 {
		t.Errorf("chunk of a closed statement: %d", status)
	}
}

// S01 databricks/terraform-provider-databricks#5366: PENDING comes first, and polls see the rest.
func TestStatementWaits(t *testing.T) {
	t.Parallel()
	w := open(t)
	if got := submit(t, w, numbers(1), `,"wait_timeout":"0s"`); stateOf(got) != "PENDING" || got["result"] != nil {
		t.Errorf("without waiting: %v", got)
	} else if got = settled(t, w, got); stateOf(got) != "SUCCEEDED" {
		t.Errorf("%v", got)
	}
	b := w.Behaviour()
	b.ColdPolls = 2
	w.SetBehaviour(b)
	got := submit(t, w, numbers(1), "")
	states := []string{stateOf(got)}
	got = ok(t, w, "GET", statements+"/"+text(got["statement_id"]), "")
	states = append(states, stateOf(got), stateOf(settled(t, w, got)))
	if diff := cmp.Diff([]string{"PENDING", "PENDING", "SUCCEEDED"}, states); diff != "" {
		t.Errorf("cold warehouse (-want +got):\n%s", diff)
	}
	for _, bad := range []string{`"wait_timeout":"4s"`, `"wait_timeout":"51s"`, `"wait_timeout":"soon"`, `"on_wait_timeout":"STOP"`, `"wait_timeout":"0s","on_wait_timeout":"CANCEL"`,
		`"format":"CSV"`, `"format":"ARROW_STREAM","disposition":"EXTERNAL_LINKS"`, `"disposition":"MAIL"`, `"row_limit":0`} {
		if status, body, _ := send(t, w, "POST", statements, fmt.Sprintf(`{"warehouse_id":%q,"statement":"SELECT 1",%s}`, w.WarehouseID(), bad)); status != 400 {
			t.Errorf("%s: %d %v", bad, status, body)
		}
	}
	if status, _, _ := send(t, w, "POST", statements, `{"warehouse_id":"none","statement":"SELECT 1"}`); status != 404 {
		t.Errorf("unknown warehouse: %d", status)
	}
}

// endless joins by a condition that no index or hash can serve, so it takes time and no memory.
const endless = "SELECT count(*) FROM range(1000000) AS a CROSS JOIN range(1000000) AS b WHERE (a.id * b.id) % 7 = 3"

func TestStatementCancel(t *testing.T) {
	t.Parallel()
	w := open(t)
	got := submit(t, w, endless, `,"wait_timeout":"0s"`)
	ok(t, w, "POST", statements+"/"+text(got["statement_id"])+"/cancel", "")
	got = settled(t, w, got)
	if stateOf(got) != "CANCELED" || object(got["status"])["error"] != nil {
		t.Errorf("%v", got)
	}
	done := submit(t, w, numbers(1), "")
	ok(t, w, "POST", statements+"/"+text(done["statement_id"])+"/cancel", "")
	if got := settled(t, w, done); stateOf(got) != "SUCCEEDED" {
		t.Errorf("cancel after the end: %v", got)
	}
}

func TestStatementCancelsWhenItsWaitEnds(t *testing.T) {
	t.Parallel()
	w := open(t)
	if got := submit(t, w, endless, `,"wait_timeout":"5s","on_wait_timeout":"CANCEL"`); stateOf(got) != "CANCELED" {
		t.Errorf("%v", got)
	}
}

// A failed statement is an HTTP 200 with its class in the message.
func TestStatementFails(t *testing.T) {
	t.Parallel()
	w := open(t)
	status := object(submit(t, w, "SELECT * FROM main.default.no_such", "")["status"])
	message := text(object(status["error"])["message"])
	if status["state"] != "FAILED" || status["sql_state"] != "42P01" || !strings.HasPrefix(message, "[TABLE_OR_VIEW_NOT_FOUND] ") || object(status["error"])["error_code"] != "BAD_REQUEST" {
		t.Errorf("%v", status)
	}
}

// S05 bytebase/bytebase#20190: a limit marks the manifest as truncated; so does a fault.
func TestStatementTruncated(t *testing.T) {
	t.Parallel()
	w := open(t)
	for more, rows := range map[string]string{`,"row_limit":3`: "3", `,"row_limit":10`: "10", `,"byte_limit":1`: "1"} {
		m := object(submit(t, w, numbers(10), more)["manifest"])
		if plain(m["total_row_count"]) != rows || truth(m["truncated"]) != (rows != "10") {
			t.Errorf("%s: %v", more, m)
		}
	}
	w.AddFault(Fault{Route: "sql/statements", Method: "POST", Call: 1, MarkTruncated: true})
	if m := object(submit(t, w, numbers(10), "")["manifest"]); !truth(m["truncated"]) || plain(m["total_row_count"]) != "10" {
		t.Errorf("fault: %v", m)
	}
}

func TestStatementChunks(t *testing.T) {
	t.Parallel()
	w := open(t)
	const n = 6_000
	got := submit(t, w, wide(n), `,"wait_timeout":"50s"`)
	m := object(got["manifest"])
	chunks, _ := integer(m["total_chunk_count"])
	if plain(m["total_row_count"]) != plain(n) || chunks < 2 {
		t.Fatalf("%v", m)
	}
	next := 0
	for i := range chunks {
		c := ok(t, w, "GET", fmt.Sprint(statements, "/", got["statement_id"], "/result/chunks/", i), "")
		if plain(c["row_offset"]) != plain(next) {
			t.Fatalf("chunk %d starts at %v, want %d", i, c["row_offset"], next)
		}
		for _, r := range list(c["data_array"]) {
			if list(r)[0] != plain(next) {
				t.Fatalf("row %d: %v", next, r)
			}
			next++
		}
		if following, has := integer(c["next_chunk_index"]); has != (i+1 < chunks) || has && following != i+1 {
			t.Errorf("chunk %d is followed by %v", i, c["next_chunk_index"])
		}
	}
	if next != n {
		t.Errorf("%d rows, want %d", next, n)
	}
	big := submit(t, w, wide(27_000), `,"wait_timeout":"50s"`)
	if stateOf(big) != "FAILED" || !strings.Contains(fmt.Sprint(big["status"]), "Inline byte limit exceeded") {
		t.Errorf("more than 25 MiB inline: %v", big["status"])
	}
}

func TestStatementExternalLinks(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, format := range []string{"JSON_ARRAY", "CSV"} {
		got := submit(t, w, numbers(110_000), `,"wait_timeout":"50s","disposition":"EXTERNAL_LINKS","format":"`+format+`"`)
		rows := 0
		for i := range list(object(got["manifest"])["chunks"]) {
			c := ok(t, w, "GET", fmt.Sprint(statements, "/", got["statement_id"], "/result/chunks/", i), "")
			link := text(object(list(c["external_links"])[0])["external_link"])
			r, err := http.Get(link)
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(r.Body)
			r.Body.Close()
			if err != nil || r.StatusCode != http.StatusOK {
				t.Fatalf("%d %v", r.StatusCode, err)
			}
			if format == "CSV" {
				lines := strings.Split(strings.TrimSpace(string(data)), "\n")
				if i == 0 {
					if lines[0] != "id,nothing,d,t" || lines[1] != "0,null,1.50,2026-03-02T06:00:00.250Z" {
						t.Errorf("%q", lines[:2])
					}
					rows--
				}
				rows += len(lines)
			} else {
				var l [][]*string
				if err := json.Unmarshal(data, &l); err != nil {
					t.Fatal(err)
				}
				rows += len(l)
			}
			path := strings.TrimPrefix(link, w.Host())
			if status, _, _ := send(t, w, "GET", path, ""); status != 400 {
				t.Errorf("a link with Authorization: %d", status)
			}
			if status, _, _ := sendAs(t, w, "", "GET", path+"x", ""); status != 403 {
				t.Errorf("a forged link: %d", status)
			}
		}
		if rows != 110_000 {
			t.Errorf("%s: %d rows", format, rows)
		}
	}
}

// Results on disk go with the workspace.
func TestSpilledResultsAreRemoved(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	w := open(t)
	submit(t, w, wide(3_000), `,"wait_timeout":"50s"`)
	spilled := func() int {
		names, _ := filepath.Glob(filepath.Join(dir, "watertight-result-*"))
		return len(names)
	}
	if spilled() != 1 {
		t.Errorf("%d files while the result is open", spilled())
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if n := spilled(); n != 0 {
		left, _ := os.ReadDir(dir)
		t.Errorf("%v left", left)
	}
}

// The SDK writes a slash at the end of the path; it is the same route.
func TestStatementThroughTheSDK(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.AddFault(Fault{Route: "sql/statements", Method: http.MethodPost, Call: 1, Status: http.StatusServiceUnavailable})
	got, err := client(t, w).StatementExecution.ExecuteStatement(t.Context(), sql.ExecuteStatementRequest{WarehouseId: w.WarehouseID(), Statement: numbers(2)})
	if err != nil || got.Status.State != sql.StatementStateSucceeded || got.Manifest.TotalRowCount != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	if n := w.Count("POST", "/api/2.0/sql/statements"); n != 2 {
		t.Errorf("%d requests, want the one with the fault and its repetition", n)
	}
}
