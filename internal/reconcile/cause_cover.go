package reconcile

import (
	"iter"
	"slices"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/evidence"
)

// cover finds the manifests that list a key, in a list by partition, lowest sequence and version. It holds one range or
// two of each manifest; like a cursor it goes forward.
type cover struct {
	list   List[evidence.Manifest]
	next   func() (evidence.Manifest, error, bool)
	stop   func()
	now    evidence.Manifest
	some   bool
	err    error
	active []evidence.Manifest

	partition string
	sequence  int64
}

func (c *cover) close() {
	if c.stop != nil {
		c.stop()
	}
	c.next, c.stop, c.some, c.active = nil, nil, false, nil
}

func (c *cover) step() {
	m, err, ok := c.next()
	if ok && err != nil && c.err == nil {
		c.err = err
	}
	c.now, c.some = m, ok && err == nil
}

// at gives the ranges that hold a key. They do so up to a sequence.
func (c *cover) at(partition string, sequence int64) (ranges []evidence.Manifest, to int64) {
	if c.next == nil || partition < c.partition || partition == c.partition && sequence < c.sequence {
		c.close()
		c.next, c.stop = iter.Pull2(c.list.All())
		c.step()
	}
	c.partition, c.sequence = partition, sequence
	for c.some && (c.now.Partition < partition || c.now.Partition == partition && c.now.Low <= sequence) {
		c.active = append(c.active, c.now)
		if len(c.active) > 2*len(ranges)+1024 { // long gone ones need not wait for the end of the loop
			c.drop(partition, sequence)
			ranges = c.active
		}
		c.step()
	}
	c.drop(partition, sequence)
	to = maxSequence
	for _, m := range c.active {
		to = min(to, m.High)
	}
	if c.some && c.now.Partition == partition {
		to = min(to, c.now.Low-1)
	}
	return c.active, to
}

func (c *cover) drop(partition string, sequence int64) {
	c.active = slices.DeleteFunc(c.active, func(m evidence.Manifest) bool { return m.Partition != partition || m.High < sequence })
}

// bounds are the event times between which a key's lies, by all ranges that hold it: earliest and latest in microseconds.
func bounds(ranges []evidence.Manifest) (earliest, latest int64, some bool) {
	for _, m := range ranges {
		if m.Earliest.IsZero() || m.Latest.IsZero() {
			continue
		}
		a, z := m.Earliest.UnixMicro(), m.Latest.UnixMicro()
		if !some {
			earliest, latest, some = a, z, true
			continue
		}
		earliest, latest = max(earliest, a), min(latest, z)
	}
	return earliest, latest, some && earliest <= latest
}

// of selects the ranges of one manifest.
func of(ranges []evidence.Manifest, version int64) []evidence.Manifest {
	var out []evidence.Manifest
	for _, m := range ranges {
		if m.SourceVersion == version {
			out = append(out, m)
		}
	}
	return out
}

// kept finds a manifest by its version.
func (q *Inquiry) kept(version int64) (index int, found bool) {
	return slices.BinarySearchFunc(q.Kept, version, func(k evidence.Kept, v int64) int {
		switch {
		case k.SourceVersion < v:
			return -1
		case k.SourceVersion > v:
			return 1
		}
		return 0
	})
}

// Hull is the range of a partition in both tables together.
func (e *Extent) Hull() (low, high int64) { return e.hull() }

// Covers reports whether manifests show everything that was in the source from one instant to another: none of the times
// between them is longer than half of what the source promises to keep rows for.
func (q *Inquiry) Covers(from, to time.Time) bool {
	if q.Window == 0 || q.Shrank {
		return false
	}
	last := time.Time{}
	for _, k := range q.Kept {
		switch {
		case !k.SeenAt.After(from):
			last = k.SeenAt
		case last.IsZero() || k.SeenAt.Sub(last) > q.Window/2:
			return false
		default:
			last = k.SeenAt
		}
		if !last.Before(to) {
			return true
		}
	}
	return !last.IsZero() && to.Sub(last) <= q.Window/2
}
