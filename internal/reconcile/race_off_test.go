//go:build !race

package reconcile

// raceDetector says that this test binary does not watch for races.
const raceDetector = false
