// Package examples holds the configurations that the documentation shows and the tests apply.
package examples

import "embed"

// Incident is the configuration of the incident, under incident/: what `watertight demo` applies.
//
//go:embed incident/*.tf
var Incident embed.FS
