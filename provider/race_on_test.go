//go:build race

package provider_test

// manyJobs is how many random jobs are made where nothing else is said: the race detector takes ten times as long, and
// `make test` runs the many without it.
const manyJobs = 40
