// Package reconcile decides whether every row that was due is in the target. It writes the statements that ask a
// warehouse, compares what comes back, and words the verdict; it asks nobody itself.
//
// Vocabulary. A key is (partition, sequence). A block is the keys of a partition whose sequence DIV 8192 is equal. A
// block is whole when it holds every sequence from its lowest to its highest exactly once. The cutoff is the event time
// up to which the run in question could have read. A row of the source is due when it lies before the cutoff (or on it,
// unless the loader is strict); a due row must be in the target.
//
// How it works. Each side is scanned once, grouped by block. A source block whose range lies inside a whole block of
// the target needs no further look. Blocks that hold rows on both sides of the cutoff or of midnight are split by a
// second, narrow statement; what is still open is decided by an anti-join inside the warehouse, folded to ranges there.
// Sequences that neither table holds are looked for in older versions of the source.
//
// That a block of the target is whole is concluded from its count, its lowest and highest sequence and a mixed XOR of
// all its sequences. Power sums (count, Σ, Σ²) would not do: three lost keys and three doubled ones can leave all of
// them unchanged (Prouhet, Tarry and Escott), and a verification must not be fooled by that.
package reconcile
