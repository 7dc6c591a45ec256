package reconcile

// DefaultBlock is how many sequences a block spans. Grouping by blocks of this length takes as long as by longer ones; a
// block that differs costs less to open, and a stretch of the target that need not be scanned again ends closer to its end.
const DefaultBlock = 8192

// mixer spreads a sequence's offset in its block over 62 bits before the XOR: below 2^46, so that the largest offset
// times it stays a BIGINT, and without a pattern in its bits.
const mixer = 61_709_368_521_587

// SourceBlock is one group of the source's second scan, over what the first could not settle.
type SourceBlock struct {
	Partition *string
	Block     *int64
	// Rows counts rows; Timed those of them that have an event time.
	Rows, Timed int64
	Low, High   int64
	// Earliest and Latest are in microseconds, and mean nothing when Timed is 0.
	Earliest, Latest int64
	// Mix is as in TargetBlock.
	Mix int64
}

// TargetBlock is one group of the target's scan.
type TargetBlock struct {
	// Partition or Block is nil in the group of rows whose key is null.
	Partition *string
	Block     *int64
	Rows      int64
	Low, High int64
	// Mix is the XOR over all rows of the sequence's offset in its block times a constant.
	Mix int64
	// trusted stretches are whole by what was found earlier, however long they are.
	trusted bool
}

// Mixes knows the XOR of any run of consecutive sequences of a block.
type Mixes struct {
	block int64
	// prefix[i] is the XOR over the offsets below i.
	prefix []int64
}

// NewMixes makes the table for blocks of a length; 64 KiB for the default.
func NewMixes(block int64) *Mixes {
	m := &Mixes{block: block, prefix: make([]int64, block+1)}
	for i := range block {
		m.prefix[i+1] = m.prefix[i] ^ i*mixer
	}
	return m
}

// whole reports whether rows hold every sequence from low to high exactly once. Negative sequences are never held to:
// DIV puts those around zero into one block twice as long, in which offsets repeat.
func (m *Mixes) whole(rows, low, high, mix int64) bool {
	if rows != high-low+1 || low < 0 || low/m.block != high/m.block {
		return false
	}
	return mix == m.prefix[high%m.block+1]^m.prefix[low%m.block]
}

// Whole reports whether a block holds every sequence from its lowest to its highest exactly once.
func (m *Mixes) Whole(b TargetBlock) bool {
	return b.trusted || b.Block != nil && m.whole(b.Rows, b.Low, b.High, b.Mix)
}
