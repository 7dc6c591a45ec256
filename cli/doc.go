// Package cli is Watertight's command line: one file, one command. A command reads its flags into options, collects every
// problem with them, and then runs with an Env, which holds all that it may touch outside: streams, clock, environment,
// the way to a workspace. What a command finds goes to stdout, what it says meanwhile to stderr; how it ends is one of the
// codes of package run, chosen in one place (exit.go).
//
// It holds no rule of the product: those are in internal/, and the provider, which never meets this package, uses the same.
package cli
