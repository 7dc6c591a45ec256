package reconcile

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
)

// narrowing is how many parts a block that is not whole is cut into, so that what is ordered key by key is a part of it.
const narrowing = 64

// mostParts is how many blocks one statement is asked for by name; beyond it everything is read.
const mostParts = 10_000

// Broken are the places at which a target is not whole: blocks that lack or repeat a key, and jumps from one block to the
// next. Of gaps between blocks nothing has to be asked; those within one are found by ordering its keys, of no two blocks
// at once, for blocks that are whole may lie between.
type Broken struct {
	// Block is the length of the blocks.
	Block int64
	// within is the length of blocks whose jumps are known already; 0: none.
	within int64
	mixes  *Mixes
	uneven []blockID
	many   bool
	last   map[string]int64
	jump   func(Gap) error
}

// NewBroken watches blocks of a length, and tells jump of the gaps between them. 0: DefaultBlock.
func NewBroken(block int64, jump func(Gap) error) *Broken {
	if block <= 0 {
		block = DefaultBlock
	}
	return &Broken{Block: block, mixes: NewMixes(block), last: map[string]int64{}, jump: jump}
}

// Parts watches the parts of blocks that are not whole; ok is false where those are short enough.
func (b *Broken) Parts(jump func(Gap) error) (parts *Broken, ok bool) {
	if b.Block/narrowing < 2 || len(b.uneven) == 0 {
		return b, false
	}
	parts = NewBroken(b.Block/narrowing, jump)
	parts.within = b.Block
	return parts, true
}

// Any reports whether a block is not whole.
func (b *Broken) Any() bool { return len(b.uneven) > 0 }

// In reports whether such a block is in one of the partitions for which is says so.
func (b *Broken) In(is func(partition string) bool) bool {
	return slices.ContainsFunc(b.uneven, func(id blockID) bool { return is(id.partition) })
}

// Watch hands blocks on, which come by partition and number.
func (b *Broken) Watch(blocks iter.Seq2[TargetBlock, error]) iter.Seq2[TargetBlock, error] {
	return func(yield func(TargetBlock, error) bool) {
		for t, err := range blocks {
			if err == nil && t.Partition != nil && t.Block != nil {
				err = b.add(t)
			}
			if !yield(t, err) || err != nil {
				return
			}
		}
	}
}

func (b *Broken) add(t TargetBlock) error {
	p := *t.Partition
	if high, ok := b.last[p]; ok && distance(Span{To: high}, Span{From: t.Low}) > 1 && (b.within == 0 || high/b.within == t.Low/b.within) {
		if err := b.jump(Gap{Span: Span{p, high + 1, t.Low - 1}}); err != nil {
			return err
		}
	}
	b.last[p] = t.High
	switch {
	case b.mixes.Whole(t):
	case len(b.uneven) == mostParts:
		b.many = true
	default:
		b.uneven = append(b.uneven, blockID{p, t.Low / b.Block})
	}
	return nil
}

// only joins rows with the blocks that are not whole, and keeps those with a key.
func (b *Broken) only(c Columns) string {
	const keyed = " WHERE r.p IS NOT NULL AND r.seq IS NOT NULL"
	if b.many || len(b.uneven) == 0 {
		return keyed
	}
	var values []string
	low, high := b.uneven[0].block, b.uneven[0].block
	for _, id := range b.uneven {
		values = append(values, fmt.Sprintf("(%s, %d)", c.Literal(id.partition), id.block))
		low, high = min(low, id.block), max(high, id.block)
	}
	where := keyed
	if edge := math.MaxInt64/b.Block - 2; -edge < low && high < edge { // statistics can answer this
		where += fmt.Sprintf(" AND r.seq BETWEEN %d AND %d", (low-1)*b.Block, (high+1)*b.Block)
	}
	return fmt.Sprintf(" LEFT SEMI JOIN (SELECT * FROM VALUES %s AS v(part, block)) AS d ON r.p = d.part AND r.seq DIV %d = d.block%s", strings.Join(values, ", "), b.Block, where)
}

// PartsOf scans the blocks of the target that are not whole, as TargetBlocks scans all, in parts.
func (s Statements) PartsOf(b, parts *Broken) string {
	s.Block = parts.Block
	return fmt.Sprintf(`SELECT CAST(p AS STRING) AS part, block, n, low, high, mix
FROM (SELECT p, seq DIV %[1]d AS block, count(*) AS n, min(seq) AS low, max(seq) AS high, %[2]s AS mix
FROM (%[3]s) AS r%[4]s GROUP BY p, seq DIV %[1]d) AS b
ORDER BY part, block`, s.block(), s.mix(), s.keys(s.Target, s.Target.Version), b.only(s.Columns))
}

// GapsWithin lists the sequences that the target lacks between the keys of one block, in those that are not whole:
// partition, first and last sequence, event times of the rows before and after; by partition and sequence.
func (s Statements) GapsWithin(b *Broken) string {
	return fmt.Sprintf(`WITH k AS (SELECT p, seq, max(u) AS u FROM (%s) AS r%s GROUP BY p, seq),
g AS (SELECT p, seq, u, lead(seq) OVER (PARTITION BY p, seq DIV %[3]d ORDER BY seq) AS follower, lead(u) OVER (PARTITION BY p, seq DIV %[3]d ORDER BY seq) AS later FROM k)
SELECT CAST(p AS STRING) AS part, seq + 1 AS low, follower - 1 AS high, unix_micros(u) AS earlier, unix_micros(later) AS later
FROM g WHERE follower - 1 > seq ORDER BY part, low`, s.rows(s.Target, s.Target.Version), b.only(s.Columns), b.Block)
}

// CountGapsWithin counts the rows of GapsWithin.
func (s Statements) CountGapsWithin(b *Broken) string {
	return fmt.Sprintf(`SELECT count(*) AS n FROM (SELECT seq, lead(seq) OVER (PARTITION BY p, seq DIV %d ORDER BY seq) AS follower
FROM (SELECT p, seq FROM (%s) AS r%s GROUP BY p, seq) AS k) AS g WHERE follower - 1 > seq`, b.Block, s.keys(s.Target, s.Target.Version), b.only(s.Columns))
}

// MergedGaps puts lists of gaps, each by partition and sequence, into one.
func MergedGaps(lists ...iter.Seq2[Gap, error]) iter.Seq2[Gap, error] {
	return func(yield func(Gap, error) bool) {
		type head struct {
			gap  Gap
			next func() (Gap, error, bool)
		}
		var heads []head
		for _, l := range lists {
			next, stop := iter.Pull2(l)
			defer stop()
			g, err, ok := next()
			if ok && err != nil {
				yield(Gap{}, err)
				return
			}
			if ok {
				heads = append(heads, head{g, next})
			}
		}
		for len(heads) > 0 {
			least := 0
			for i := range heads {
				if a, b := heads[i].gap, heads[least].gap; cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.From, b.From)) < 0 {
					least = i
				}
			}
			if !yield(heads[least].gap, nil) {
				return
			}
			g, err, ok := heads[least].next()
			switch {
			case ok && err != nil:
				yield(Gap{}, err)
				return
			case ok:
				heads[least].gap = g
			default:
				heads = slices.Delete(heads, least, least+1)
			}
		}
	}
}

// Narrow reads the parts of blocks that are not whole. What the screen says of them is of the parts after that.
func (s *Screen) Narrow(block int64, parts iter.Seq2[TargetBlock, error]) error {
	whole := Trusted{union(s.stretches)}
	narrow := NewScreen(s.cutoff, block)
	for b, err := range whole.With(whole.without(parts)) {
		if err != nil {
			return err
		}
		if b.Partition != nil && b.Block != nil {
			narrow.addTarget(b)
		}
	}
	for p, e := range narrow.Extents {
		narrow.endRun(p, e)
	}
	slices.SortFunc(narrow.stretches, func(a, b Span) int { return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.From, b.From)) })
	s.segments, s.uneven, s.stretches = narrow.segments, narrow.uneven, narrow.stretches
	return nil
}

// without drops the blocks that lie inside of what is trusted: a statement may read more than it was asked for.
func (t Trusted) without(blocks iter.Seq2[TargetBlock, error]) iter.Seq2[TargetBlock, error] {
	return func(yield func(TargetBlock, error) bool) {
		for b, err := range blocks {
			if err == nil && b.Partition != nil && t.holds(*b.Partition, b.Low) {
				continue
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

func (t Trusted) holds(partition string, sequence int64) bool {
	i, _ := slices.BinarySearchFunc(t.spans, sequence, func(s Span, sequence int64) int {
		return cmp.Or(cmp.Compare(s.Partition, partition), cmp.Compare(s.To, sequence))
	})
	return i < len(t.spans) && t.spans[i].Partition == partition && t.spans[i].From <= sequence
}

// SurplusBeside is how many rows of the target repeat a key, if the gaps between its keys have so many sequences, counted
// as 64 bits do.
func (s *Screen) SurplusBeside(gaps uint64) uint64 {
	keys := uint64(0)
	for _, e := range s.Extents {
		if e.InTarget {
			keys += distance(Span{To: e.TargetLow}, Span{From: e.TargetHigh}) + 1
		}
	}
	return uint64(s.TargetRows-s.TargetNullKeys) - (keys - gaps)
}
