package provider_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Configurations are written for Terraform 1.8, the oldest with functions of providers: what came later stands only in
// the examples that are about it.
func TestConfigurationsSuitTerraform18(t *testing.T) {
	t.Parallel()
	later := []struct {
		since string
		text  *regexp.Regexp
	}{
		{"1.9", regexp.MustCompile(`\btemplatestring\(`)},
		{"1.10", regexp.MustCompile(`(?m)^\s*ephemeral\b`)},
		{"1.11", regexp.MustCompile(`(?m)^\s*\w+_wo(_version)?\s*=`)},
		{"1.12", regexp.MustCompile(`(?m)^\s*identity\s*=\s*\{`)},
		{"1.14", regexp.MustCompile(`(?m)^\s*(action|list)\s+"\w+"\s+"\w+"\s*\{|\baction_trigger\s*\{`)},
	}
	exempt := []string{"../examples/actions/watertight_run/action.tf", "../examples/resources/*/import-by-identity.tf", "cases_syntax_test.go", "run_action_test.go"}
	seen := 0
	check := func(path string) error {
		isExempt := slices.ContainsFunc(exempt, func(p string) bool { ok, err := filepath.Match(p, filepath.ToSlash(path)); return ok && err == nil })
		if isExempt || !strings.HasSuffix(path, ".tf") && !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		seen++
		for _, l := range later {
			if found := l.text.Find(content); found != nil {
				t.Errorf("%s: %q is known since Terraform %s", path, strings.TrimSpace(string(found)), l.since)
			}
		}
		return nil
	}
	for _, root := range []string{".", "../examples"} {
		if err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			return check(path)
		}); err != nil {
			t.Fatal(err)
		}
	}
	if seen < 30 {
		t.Errorf("only %d files were read", seen)
	}
}
