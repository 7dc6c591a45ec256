package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

const (
	statements = "/api/2.0/sql/statements"
	statementN = "/api/2.0/sql/statements/{id}"
	chunkN     = "/api/2.0/sql/statements/{id}/result/chunks/{chunk}"
	cancelN    = "/api/2.0/sql/statements/{id}/cancel"
)

// S01: whoever gives up before the workspace has answered takes the statement back all the same: only the answer tells
// which one it is.
func TestStatementIsCancelledBeforeItsAnswer(t *testing.T) {
	t.Parallel()
	w, c := both(t)
	w.SetBehaviour(local.Behaviour{ColdPolls: 1000})
	w.AddFault(local.Fault{Route: statements, Delay: 200 * time.Millisecond})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		look := time.NewTicker(time.Millisecond)
		defer look.Stop()
		for w.Count(http.MethodPost, statements) == 0 {
			<-look.C
		}
		cancel()
	}()
	_, err := c.Query(ctx, "SELECT 1")
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "it was cancelled") {
		t.Errorf("got %v", err)
	}
	if n := w.Count(http.MethodPost, cancelN); n != 1 {
		t.Errorf("cancelled %d times", n)
	}
}

// A statement that cannot be cancelled may go on, and is named. One that may have written is no plain failure.
func TestStatementThatMayGoOn(t *testing.T) {
	t.Parallel()
	for sql, uncertain := range map[string]bool{"SELECT 1": false, "DELETE FROM main.default.t": true} {
		w, c := both(t)
		w.SetBehaviour(local.Behaviour{ColdPolls: 1000})
		w.AddFault(local.Fault{Route: statementN, Times: 1000, Status: 403, Body: `{"error_code":"403","message":"Invalid access token."}`})
		w.AddFault(local.Fault{Route: cancelN, Times: 1000, Status: 403, Body: `{"error_code":"403","message":"Invalid access token."}`})
		_, err := c.Query(t.Context(), sql)
		if !errors.Is(err, workspace.ErrUnauthenticated) || !strings.Contains(err.Error(), "could not be cancelled and may go on") || errors.Is(err, workspace.ErrUncertain) != uncertain {
			t.Errorf("%s: got %v", sql, err)
		}
		if !strings.Contains(workspace.HintOf(err), "Check the token") {
			t.Errorf("%s: hint %q", sql, workspace.HintOf(err))
		}
	}
}

// What is gone is the statement or its result: not the table that was asked for.
func TestForgottenStatement(t *testing.T) {
	t.Parallel()
	gone := local.Fault{Times: 1000, Status: 404, Body: `{"error_code":"RESOURCE_DOES_NOT_EXIST","message":"The statement was not found."}`}
	w, c := both(t)
	w.SetBehaviour(local.Behaviour{ColdPolls: 3})
	gone.Route = statementN
	w.AddFault(gone)
	if _, err := c.Query(t.Context(), "SELECT 1"); errors.Is(err, workspace.ErrNotFound) || !errors.Is(err, workspace.ErrUnavailable) {
		t.Errorf("a forgotten statement: %v", err)
	}
	w, c = both(t)
	gone.Route = chunkN
	w.AddFault(gone)
	rows, err := c.Query(t.Context(), "SELECT id, repeat('x', 1000) AS t FROM range(5000)")
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
	}
	if err := rows.Err(); errors.Is(err, workspace.ErrNotFound) || !errors.Is(err, workspace.ErrTruncated) || !strings.Contains(err.Error(), "part 1") {
		t.Errorf("a forgotten part: %v", err)
	}
}

// Links to parts of a result live 15 minutes; the part has a new one then. A store that refuses that too is no table
// that nobody may read.
func TestExpiredLinks(t *testing.T) {
	t.Parallel()
	for expired, whole := range map[int]bool{1: true, 1000: false} {
		w, c := both(t)
		w.SetBehaviour(local.Behaviour{ExpiredLinks: expired})
		const many = 28_000
		n := 0
		rows, err := c.Query(t.Context(), fmt.Sprintf("SELECT id, repeat('x', 1000) AS t FROM range(%d) ORDER BY id", many))
		if err == nil {
			for rows.Next() {
				n++
			}
			err = rows.Err()
		}
		if whole != (err == nil && n == many) {
			t.Errorf("%d expired: %d rows, %v", expired, n, err)
		}
		if !whole && (errors.Is(err, workspace.ErrDenied) || !errors.Is(err, workspace.ErrUnavailable) || strings.Contains(err.Error(), "key=")) {
			t.Errorf("%d expired: %v", expired, err)
		}
	}
}

// A warehouse that is not there, in both of the ways in which it is said, is what the user must change; one that may not
// be used is not.
func TestWrongWarehouse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault *local.Fault
		id    string
		want  error
		hint  string
	}{
		"wrong id":  {nil, "0123456789abcdef", workspace.ErrNoWarehouse, "DATABRICKS_WAREHOUSE_ID"},
		"not an id": {&local.Fault{Route: statements, Status: 400, Body: `{"error_code":"INVALID_PARAMETER_VALUE","message":"xyz is not a valid endpoint id."}`}, "xyz", workspace.ErrNoWarehouse, "DATABRICKS_WAREHOUSE_ID"},
		"no right":  {&local.Fault{Route: statements, Status: 403, Body: `{"error_code":"PERMISSION_DENIED","message":"You do not have permission to use the SQL Warehouse."}`}, "77a7e5710ca1c0de", workspace.ErrDenied, "CAN USE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			if c.fault != nil {
				w.AddFault(*c.fault)
			}
			_, err := client(t, w, func(s *workspace.Config) { s.WarehouseID = c.id }).Query(t.Context(), "SELECT 1")
			if !errors.Is(err, c.want) || errors.Is(err, workspace.ErrNotFound) || !strings.Contains(err.Error(), c.id) || !strings.Contains(workspace.HintOf(err), c.hint) {
				t.Errorf("%v; %s", err, workspace.HintOf(err))
			}
		})
	}
}

// A statement that somebody else cancelled says so, and that nothing is known.
func TestCancelledByOthers(t *testing.T) {
	t.Parallel()
	for _, state := range []string{"CANCELED", "CLOSED"} {
		w, c := both(t)
		w.AddFault(local.Fault{Route: statements, Status: 200, Body: `{"statement_id":"x","status":{"state":"` + state + `"}}`})
		_, err := c.Query(t.Context(), "SELECT 1")
		var failed *workspace.StatementError
		if !errors.As(err, &failed) || failed.State != state || !strings.Contains(err.Error(), "SELECT 1: the statement was "+strings.ToLower(state)) || !strings.Contains(workspace.HintOf(err), "Somebody cancelled it") {
			t.Errorf("%v; %s", err, workspace.HintOf(err))
		}
	}
}
