// Command watertight is the command line, and a Terraform provider when Terraform starts it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/watertight-data/terraform-provider-watertight/cli"
)

// version is set by the linker.
var version = "dev"

// Terraform and OpenTofu set this for the plugins that they start; tf6server checks it too.
const handshake = "TF_PLUGIN_MAGIC_COOKIE"

func main() {
	if _, ok := os.LookupEnv(handshake); ok {
		serveProvider()
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	code := cli.Main(ctx, os.Args, cli.SystemEnv(version))
	stop()
	os.Exit(int(code))
}
