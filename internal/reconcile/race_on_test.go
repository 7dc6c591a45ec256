//go:build race

package reconcile

// raceDetector says that this test binary watches for races, which makes it several times slower.
const raceDetector = true
