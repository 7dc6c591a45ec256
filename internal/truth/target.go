package truth

// Target is the target as it was at a moment, beside what the source ever had.
type Target struct {
	copies map[Key]int64
	ever   map[Key]bool
	low    map[string]int64
	high   map[string]int64
}

// Target is what an audit looks at: the newest version, or the last before a run that goes on.
func (c *Check) Target() Target {
	target := c.target
	if r := c.activeSince(); r != nil {
		for target > 0 && !c.g.target.commits[target].at.Before(r.Started) {
			target--
		}
	}
	t := Target{copies: map[Key]int64{}, ever: map[Key]bool{}, low: map[string]int64{}, high: map[string]int64{}}
	for r := range c.g.target.holds(target) {
		if r.keyless {
			continue
		}
		if low, ok := t.low[r.Partition]; !ok || r.Seq < low {
			t.low[r.Partition] = r.Seq
		}
		if high, ok := t.high[r.Partition]; !ok || r.Seq > high {
			t.high[r.Partition] = r.Seq
		}
		t.copies[r.Key]++
	}
	for _, r := range c.g.source.rows {
		if r.from <= c.source && !r.keyless {
			t.ever[r.Key] = true
		}
	}
	return t
}

// activeSince is the first run that is active and began after the last one that succeeded; nil when the two overlap, for
// then what that one wrote would be left out.
func (c *Check) activeSince() *Run {
	var last, active *Run
	for _, r := range c.ended {
		if !r.Failed && (last == nil || r.Started.After(last.Started)) {
			last = r
		}
	}
	for _, r := range c.active {
		if (last == nil || r.Started.After(last.Started)) && (active == nil || r.Started.Before(active.Started)) {
			active = r
		}
	}
	if last != nil && active != nil && active.Started.Before(last.end) {
		return nil
	}
	return active
}

// Has tells whether the target has a key, Ever whether the source ever had it.
func (t Target) Has(k Key) bool { return t.copies[k] > 0 }

// Ever tells whether the source ever had a key.
func (t Target) Ever(k Key) bool { return t.ever[k] }

// Low is the lowest sequence of a partition.
func (t Target) Low(partition string) int64 { return t.low[partition] }

// Absent are the keys that the target lacks between its lowest and its highest.
func (t Target) Absent() []Key {
	var out []Key
	for p, low := range t.low {
		for s := low; s < t.high[p]; s++ {
			if k := (Key{p, s}); !t.Has(k) {
				out = append(out, k)
			}
		}
	}
	return out
}

// Gaps are the runs of them.
func (t Target) Gaps() int64 {
	n := int64(0)
	for p, low := range t.low {
		for s := low; s < t.high[p]; s++ {
			if t.Has(Key{p, s}) && !t.Has(Key{p, s + 1}) {
				n++
			}
		}
	}
	return n
}

// Rows are those with a key, Surplus those that repeat one.
func (t Target) Rows() int64 {
	n := int64(0)
	for _, c := range t.copies {
		n += c
	}
	return n
}

// Surplus are rows that repeat a key.
func (t Target) Surplus() int64 { return t.Rows() - int64(len(t.copies)) }
