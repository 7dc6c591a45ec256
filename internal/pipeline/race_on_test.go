//go:build race

package pipeline_test

// raceDetector says that this test binary watches for races, which makes it several times slower.
const raceDetector = true
