// Package truth makes small loader pipelines at random and knows everything about them: which row was in the source at
// which version, which run could have read it, which one did, what was written, and what became of it afterwards. It is
// for tests: they play a pipeline on a workspace, verify it, and compare what verification says with what is true.
//
// Vocabulary. A pipeline is a list of steps: statements, beginnings and ends of runs, and checks. A check is a moment at
// which a run is verified. What must come out of it is worked out from the generator's own log alone: the package knows
// none of the code that it is to judge, and reads nothing back.
//
// Instants. Steps are at least a second apart, on whole seconds; a statement or a run that is made at an instant of a
// workspace's clock happens one millisecond after it.
package truth
