//go:build !race

package provider_test

const manyJobs = 500
