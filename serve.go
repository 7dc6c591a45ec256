package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/watertight-data/terraform-provider-watertight/provider"
)

func serveProvider() {
	if _, ok := os.LookupEnv("GOGC"); !ok {
		// A plan makes much garbage and keeps little: at Go's default of 100 a third of its time is collecting.
		debug.SetGCPercent(400)
	}
	quieten()
	if err := tf6server.Serve(provider.Address, provider.Server(version)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// quieten turns off the trace of the plugin framework unless a TF_LOG variable asks for logs. Terraform drops it then, but
// only after both sides have written and read some hundred lines for each resource: a third of the time of a plan.
func quieten() {
	for _, pair := range os.Environ() {
		if name, value, _ := strings.Cut(pair, "="); strings.HasPrefix(name, "TF_LOG") && value != "" {
			return
		}
	}
	for _, name := range []string{"TF_LOG_SDK", "TF_LOG_SDK_FRAMEWORK"} {
		if err := os.Setenv(name, "OFF"); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}
