// Package coverage answers one question: does a row stay readable for as long
// as it can wait to be read? It compares the limit of the source (the rolling
// window, or what Delta or a broker keeps) with the settle delay and the
// longest wait of the loader, exactly, over 400 days of real fires.
//
// Vocabulary: a live fire is a fire of the loader that starts a run, because
// it lies in no pause; the longest wait is the longest time between two reads,
// a run's duration included; headroom is limit − (settle delay + longest
// wait). A verdict has three answers: holds, violated, cannot tell yet.
//
// The package has no clock and asks no workspace: the instant and the facts
// come in, the verdict with its reasons goes out.
package coverage
