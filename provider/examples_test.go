package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

// Every example is applied as it stands, with nothing but the DATABRICKS_* variables, planned again without a difference,
// and destroyed.
func TestExamples(t *testing.T) {
	t.Parallel()
	var examples []string
	for _, kind := range []string{"resources", "data-sources", "functions"} {
		found, err := filepath.Glob("../examples/" + kind + "/*")
		if err != nil || len(found) == 0 {
			t.Fatal("no examples of", kind, err)
		}
		for _, folder := range found {
			// Several examples of one resource stand each for itself.
			if several, _ := filepath.Glob(filepath.Join(folder, "resource*.tf")); len(several) > 1 {
				examples = append(examples, several...)
			} else {
				examples = append(examples, folder)
			}
		}
	}
	for _, folder := range append(examples, "../examples/incident", "../examples/provider") {
		t.Run(strings.TrimPrefix(filepath.ToSlash(folder), "../examples/"), func(t *testing.T) {
			t.Parallel()
			w := open(t, local.Options{})
			if strings.Contains(folder, "data-sources") {
				byHand(t, w) // what a data source reads is there before
			}
			s := newExample(t, w, folder)
			s.apply()
			if out, code := s.plan(); code != 0 {
				t.Errorf("second plan: exit %d\n%s", code, out)
			}
			s.must("destroy", "-no-color", "-input=false", "-auto-approve")
		})
	}
}

// newExample copies an example; one that leaves the source of the provider to examples/provider gets that.
func newExample(t *testing.T, w *local.Workspace, folder string) *shell {
	t.Helper()
	var text strings.Builder
	files, err := filepath.Glob(filepath.Join(strings.TrimSuffix(folder, ".tf"), "*.tf"))
	if strings.HasSuffix(folder, ".tf") {
		files = []string{folder}
	}
	if err != nil || len(files) == 0 {
		t.Fatal("no configuration in", folder, err)
	}
	for _, f := range files {
		if strings.HasPrefix(filepath.Base(f), "import-") {
			continue // of something that is there already
		}
		content, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(content)
	}
	if !strings.Contains(text.String(), "required_providers") {
		text.WriteString(required)
	}
	s := &shell{t: t, dir: t.TempDir()}
	beside, err := filepath.Glob(filepath.Join(filepath.Dir(files[0]), "*.[jy]*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range beside { // what file() reads
		content, err := os.ReadFile(f)
		if err == nil {
			err = os.WriteFile(filepath.Join(s.dir, filepath.Base(f)), content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s.write(text.String())
	s.env = []string{"TF_CLI_CONFIG_FILE=" + override(t), "DATABRICKS_HOST=" + w.Host(), "DATABRICKS_TOKEN=" + w.Token(), "DATABRICKS_WAREHOUSE_ID=" + w.WarehouseID()}
	return s
}

// override makes Terraform start this very executable as the provider, without an init; see TestMain.
func override(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	plugin := filepath.Join(folder, "terraform-provider-watertight")
	if runtime.GOOS == "windows" {
		plugin += ".exe"
	}
	if err := os.Link(self, plugin); err != nil {
		if err := os.Symlink(self, plugin); err != nil {
			t.Fatal(err)
		}
	}
	text := "provider_installation {\n  dev_overrides {\n"
	for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		text += fmt.Sprintf("    %q = %q\n", host+"/watertight-data/watertight", filepath.ToSlash(folder))
	}
	name := filepath.Join(folder, "terraformrc")
	if err := os.WriteFile(name, []byte(text+"  }\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// The incident: the plan with a pause of 25 hours is refused, and writes nothing.
func TestIncidentIsRefused(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Start: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)})
	s := newExample(t, w, "../examples/incident")
	out, code := s.run("plan", "-no-color", "-input=false", "-var", "window_duration=25h", "-var", "loader_during_window=paused")
	if text := prose(out); code != 1 || !strings.Contains(text, "Headroom of the loader load_messages") || !strings.Contains(text, "1 d 1 h") {
		t.Errorf("plan: exit %d\n%s", code, out)
	}
	if n := writes(w); n != 0 {
		t.Errorf("a refused plan wrote %d times", n)
	}
}

// The import example takes over the loader of the resource example, by its name.
func TestImportExample(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{})
	const folder = "../examples/resources/watertight_loader_job"
	s := newExample(t, w, filepath.Join(folder, "resource.tf"))
	s.apply()
	s.must("state", "rm", "watertight_loader_job.messages")
	block, err := os.ReadFile(filepath.Join(folder, "import-by-string-id.tf"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "import.tf"), block, 0o600); err != nil {
		t.Fatal(err)
	}
	if out := s.apply(); !strings.Contains(out, "1 imported, 0 added, 0 changed, 0 destroyed") {
		t.Errorf("the import:\n%s", out)
	}
}
