package duck

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the documentation page anew")

// TestPageIsTheDocumentation holds docs/embedded-engine.md to the list that the conformance test holds to the engine.
func TestPageIsTheDocumentation(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "..", "docs", "embedded-engine.md")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(Page()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Page(), string(got)); diff != "" {
		t.Errorf("run go test ./internal/local/duck -run Page -update:\n%s", diff)
	}
}
