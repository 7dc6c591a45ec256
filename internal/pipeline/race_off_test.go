//go:build !race

package pipeline_test

// raceDetector says that this test binary does not watch for races.
const raceDetector = false
