package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/watertight-data/terraform-provider-watertight/examples"
)

const (
	demoSource = "registry.terraform.io/watertight-data/watertight"
	// A mirror needs a version, and a build of this tree may have none. Terraform takes 0.0.0 for no version at all.
	demoVersion = "0.0.1"
)

// furnish lays out the demo's directory: the configuration of examples/incident, and this very executable as the provider
// in a mirror that is the only place terraform may install from.
func (d *demo) furnish(folder string) error {
	config, mirror, temporary := filepath.Join(folder, "incident"), filepath.Join(folder, "mirror"), filepath.Join(folder, "tmp")
	plugin := filepath.Join(mirror, filepath.FromSlash(demoSource), demoVersion, runtime.GOOS+"_"+runtime.GOARCH)
	for _, p := range []string{config, plugin, temporary} {
		if err := os.MkdirAll(p, 0o700); err != nil {
			return fmt.Errorf("lay out the demo: %w", err)
		}
	}
	incident, err := fs.Sub(examples.Incident, "incident")
	if err == nil {
		err = os.CopyFS(config, incident)
	}
	if err != nil {
		return fmt.Errorf("lay out the demo: %w", err)
	}
	name := "terraform-provider-watertight_v" + demoVersion
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	target := filepath.Join(plugin, name)
	if linkErr, symlinkErr := os.Link(d.watertight, target), error(nil); linkErr != nil {
		if symlinkErr = os.Symlink(d.watertight, target); symlinkErr != nil {
			return fmt.Errorf("lay out the demo: %w", errors.Join(linkErr, symlinkErr))
		}
	}
	rc := filepath.Join(folder, "terraformrc")
	text := fmt.Sprintf("disable_checkpoint = true\nprovider_installation {\n  filesystem_mirror {\n    path    = %q\n    include = [%q]\n  }\n}\n", filepath.ToSlash(mirror), demoSource)
	if err := os.WriteFile(rc, []byte(text), 0o600); err != nil {
		return fmt.Errorf("lay out the demo: %w", err)
	}
	d.folder = config
	d.variables = childVariables(d.env.Environ(),
		"TF_CLI_CONFIG_FILE="+rc, "TF_IN_AUTOMATION=1", "TF_INPUT=0", "CHECKPOINT_DISABLE=1",
		"TMPDIR="+temporary, "TMP="+temporary, "TEMP="+temporary, "HOME="+folder, "USERPROFILE="+folder, "XDG_CACHE_HOME="+temporary,
		"DATABRICKS_HOST="+d.workspace.Host(), "DATABRICKS_TOKEN="+d.workspace.Token(), "DATABRICKS_WAREHOUSE_ID="+d.workspace.WarehouseID())
	return nil
}
