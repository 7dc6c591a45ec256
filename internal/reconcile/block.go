package reconcile

// DefaultBlock is how many sequences a block spans.
const DefaultBlock = 65536

// mixer spreads a sequence's offset in its block over 62 bits before the XOR: below 2^46, so that the largest offset
// times it stays a BIGINT, and without a pattern in its bits.
const mixer = 61_709_368_521_587

// SourceBlock is one group of the source's scan. Seconds and parts of it are microseconds since 1970.
type SourceBlock struct {
	// Partition or Block is nil in the group of rows whose key is null.
	Partition *string
	Block     *int64
	// Rows counts rows; Timed those of them that have an event time.
	Rows, Timed int64
	Low, High   int64
	// Earliest and Latest are meaningless when Timed is 0.
	Earliest, Latest int64
}

// TargetBlock is one group of the target's scan.
type TargetBlock struct {
	Partition *string
	Block     *int64
	Rows      int64
	Low, High int64
	// Mix is the XOR of (sequence % block) * mixer over all rows.
	Mix int64
}

// Mixes knows the XOR of any run of consecutive sequences of a block.
type Mixes struct {
	block int64
	// prefix[i] is the XOR over the offsets -(block-1) … i-(block-1).
	prefix []int64
}

// NewMixes makes the table for blocks of a length; 1 MiB for the default.
func NewMixes(block int64) *Mixes {
	m := &Mixes{block: block, prefix: make([]int64, 2*block-1)}
	var x int64
	for i := range m.prefix {
		x ^= (int64(i) - (block - 1)) * mixer
		m.prefix[i] = x
	}
	return m
}

// Whole reports whether a block holds every sequence from its lowest to its highest exactly once.
func (m *Mixes) Whole(b TargetBlock) bool {
	if b.Rows != b.High-b.Low+1 || b.Block == nil || b.Low/m.block != *b.Block || b.High/m.block != *b.Block {
		return false
	}
	return b.Mix == m.between(b.Low-*b.Block*m.block, b.High-*b.Block*m.block)
}

func (m *Mixes) between(low, high int64) int64 {
	mix := m.prefix[high+m.block-1]
	if i := low + m.block - 2; i >= 0 {
		mix ^= m.prefix[i]
	}
	return mix
}
