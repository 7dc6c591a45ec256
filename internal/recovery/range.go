package recovery

import (
	"cmp"
	"iter"
	"time"
)

// Range is a run of consecutive keys of one partition that are to be brought back.
type Range struct {
	Partition string
	From, To  int64
	// Version is the newest version of the source that is known to hold them; -1 when none is.
	Version int64
	// Earliest and Latest are their event times; zero when unknown.
	Earliest, Latest time.Time
}

// Compare orders ranges as a probe's answer is ordered: by partition and sequence.
func Compare(a, b Range) int {
	return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.From, b.From))
}

// Keys is how many keys a range spans.
func (r Range) Keys() uint64 { return uint64(r.To) - uint64(r.From) + 1 }

// Tally adds up how many keys of each wanted range were found, and how many of them freshly. Both are in order, and no
// two wanted ranges overlap.
func Tally(wanted []Range, found iter.Seq2[Found, error]) (all, fresh []uint64, err error) {
	all, fresh = make([]uint64, len(wanted)), make([]uint64, len(wanted))
	i := 0
	for f, err := range found {
		if err != nil {
			return nil, nil, err
		}
		for i < len(wanted) && (wanted[i].Partition < f.Partition || wanted[i].Partition == f.Partition && wanted[i].To < f.From) {
			i++
		}
		// A found range may reach over neighbours that were wanted apart. The next one may begin in the same range again.
		for n := i; n < len(wanted) && wanted[n].Partition == f.Partition && wanted[n].From <= f.To; n++ {
			keys := Range{From: max(f.From, wanted[n].From), To: min(f.To, wanted[n].To)}.Keys()
			all[n] += keys
			if f.Fresh {
				fresh[n] += keys
			}
		}
	}
	return all, fresh, nil
}
