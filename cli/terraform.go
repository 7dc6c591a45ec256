package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
)

var errNoTerraform = errors.New("no terraform or tofu")

// findTerraform looks where the user says, then on the PATH, then where `make tools` builds OpenTofu.
func findTerraform(env *Env, flag string) (string, error) {
	for _, given := range []struct{ place, path string }{{"--terraform", flag}, {"WATERTIGHT_TERRAFORM", env.variable("WATERTIGHT_TERRAFORM")}} {
		if given.path == "" {
			continue
		}
		path, err := exec.LookPath(given.path)
		if err != nil {
			return "", &hinted{fmt.Errorf("%w at %s: %w", errNoTerraform, given.place, err), "Give the path of a terraform or tofu executable, or leave it out."}
		}
		return filepath.Abs(path)
	}
	for _, name := range []string{"terraform", "tofu"} {
		if path, err := exec.LookPath(name); err == nil {
			return filepath.Abs(path)
		}
	}
	cache, err := env.CacheDir()
	if err != nil {
		return "", fmt.Errorf("find the user's cache directory: %w", err)
	}
	name := "tofu"
	if runtime.GOOS == "windows" {
		name = "tofu.exe"
	}
	pattern := filepath.Join(cache, "watertight", "tools", "opentofu-*", name)
	built, err := filepath.Glob(pattern)
	if err != nil {
		return "", err
	}
	slices.Sort(built)
	for _, path := range slices.Backward(built) {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, nil
		}
	}
	return "", &hinted{fmt.Errorf("%w: looked for terraform and tofu on the PATH and for %s", errNoTerraform, pattern),
		"Build OpenTofu once with `make tools`, or name an executable with --terraform."}
}
