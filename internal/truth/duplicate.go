package truth

import "slices"

// DuplicateCauses are those that may be named for a key that the target holds more than once.
func (e Expected) DuplicateCauses(k Key) []string {
	v := e.view
	var versions []int
	for r := range v.g.target.holds(v.target) {
		if !r.keyless && r.Key == k {
			versions = append(versions, r.from)
		}
	}
	slices.Sort(versions)
	if v.g.Has(TargetRestore) || v.g.Has(TargetDeletes) || len(versions) > 2 {
		return []string{CauseSameRun, CauseTwoRuns} // more than one story
	}
	by := func(version int) int {
		return slices.IndexFunc(v.g.runs, func(r *Run) bool { return slices.Contains(r.commits, version) })
	}
	if a, b := by(versions[0]), by(versions[1]); versions[0] == versions[1] || a >= 0 && a == b {
		return []string{CauseSameRun}
	}
	return []string{CauseTwoRuns}
}
