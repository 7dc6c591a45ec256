package provider_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

// pauses returns the pause status of each job that was created or reset since requests were last forgotten, by name.
func pauses(t *testing.T, w *local.Workspace) map[string]any {
	t.Helper()
	found := map[string]any{}
	for _, q := range w.Requests() {
		var sent struct {
			NewSettings map[string]any `json:"new_settings"`
			Name        string         `json:"name"`
			Schedule    map[string]any `json:"schedule"`
		}
		if !strings.HasSuffix(q.Route, "jobs/create") && !strings.HasSuffix(q.Route, "jobs/reset") {
			continue
		}
		if err := json.Unmarshal([]byte(q.Body), &sent); err != nil {
			t.Fatal(err)
		}
		if s := sent.NewSettings; s != nil {
			sent.Name, _ = s["name"].(string)
			sent.Schedule, _ = s["schedule"].(map[string]any)
		}
		found[sent.Name] = sent.Schedule["pause_status"]
	}
	return found
}

// J03 databricks/cli#859 and J04 databricks/cli#4316: what is sent is the pause status that is written, for the loader
// and for its maintenance alike; no mode rewrites it, and none is left to the server.
func TestPauseStatusIsSentAsWritten(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	makeTarget(t, w, "")
	config := func(line string) string {
		return with(w, loader(line)+optimize(`{ table = "main.events.stream_messages", rolling_window = "24h" }`, line+`  on_violation = "warn"`))
	}
	w.ResetRequests()
	s := newShell(t, config(""))
	for _, step := range []struct{ line, want string }{
		{"", "UNPAUSED"},
		{"  pause_status = \"PAUSED\"\n", "PAUSED"},
		{"  pause_status = \"UNPAUSED\"\n", "UNPAUSED"},
	} {
		s.write(config(step.line))
		s.apply()
		sent := pauses(t, w)
		for _, name := range []string{"load_messages", "optimize_messages"} {
			if sent[name] != step.want {
				t.Errorf("%q: %s was sent as %v, want %s", step.line, name, sent[name], step.want)
			}
		}
		if len(sent) != 2 {
			t.Errorf("%q: sent %v, want two jobs", step.line, sent)
		}
		w.ResetRequests()
	}
	if out, code := s.plan(); code != 0 {
		t.Errorf("second plan: exit %d\n%s", code, out)
	}
}
