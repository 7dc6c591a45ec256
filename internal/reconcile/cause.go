package reconcile

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/evidence"
)

// The causes of ranges and duplicates. Each comes with a proof, or is CauseUndecidable, with what would have decided it.
const (
	CauseUnread          = "unread"             // due, above the watermark, and not read: a stalled, capped or failed loader
	CauseWatermarkPassed = "watermark_passed"   // the watermark went past a row that was not due, or not there, yet
	CauseBatchLost       = "batch_lost"         // nothing of what a run had to write in the partition arrived
	CauseIsolated        = "isolated"           // a run wrote its batch without these rows: a filter, a deduplication, a MERGE
	CauseExpiredUnread   = "expired_unread"     // left the source between two reads
	CauseUpstreamGap     = "upstream_gap"       // never was in the source
	CauseNewPartition    = "new_partition"      // came before the loader knew of the partition
	CauseIdlePartition   = "idle_partition"     // the partition's watermark stands still while others move
	CauseSilence         = "silence"            // the newest event stood still, so that rows expired before they were due
	CauseSameRun         = "duplicate_same_run" // written twice by one commit
	CauseTwoRuns         = "duplicate_two_runs" // written by two commits
	CauseSourceShrank    = "source_shrank"      // left the source before the window that was promised
	CauseKeyEpoch        = "key_epoch"          // sequences of the partition began anew
	CauseDeleted         = "deleted_in_target"  // was in the target, and was removed from it
	CauseAccepted        = "accepted"           // declared to be no loss
	CauseUndecidable     = "undecidable"
)

// Inquiry finds why ranges are missing. What it is told at the beginning are facts of both tables' histories, of the
// loader's runs and of what earlier verifications kept; what it needs beyond that it asks for: Cut, called for every
// range, collects Wants; once they are answered Cut is called anew, until nothing is wanted any more.
type Inquiry struct {
	Loads Loads
	// Verified is the index of the load that is verified; -1 none.
	Verified int
	// Source and Target are the tables' histories, and the versions that are compared.
	Source, Target               *Timeline
	SourceVersion, TargetVersion int64
	NewestEvent, Strict          bool
	Delay, Guard                 time.Duration
	// Silent says that causes are not asked for.
	Silent bool
	// Window is how long rows are promised to stay in the source; 0 when nobody promised.
	Window  time.Duration
	Extents map[string]*Extent
	Search  *Search
	// Shrank says that rows are known to have left the source earlier than promised.
	Shrank bool
	// DueBelow is the event time, in microseconds, below which rows were due at the load that is verified.
	DueBelow int64
	// Restarted says by which keys a partition's sequences are seen to have begun anew.
	Restarted map[string]string
	// Unlooked is the newest commit that may have removed rows of the target and could not be looked behind; nil: none.
	Unlooked *Commit
	// Ledger is what earlier verifications saw in the target, stretch by stretch.
	Ledger []evidence.Verified
	// TargetRetention is how long a version of the target can be read after it was committed.
	TargetRetention time.Duration
	// Closed says that nothing more will be told.
	Closed bool
	// Blurred says that what loads brought to the target cannot be told from what others did.
	Blurred bool
	// Kept are the manifests there are, the oldest first.
	Kept []evidence.Kept

	deleted *cursor
	cover   *cover
	views   map[View]answered
	broken  map[int64]bool
	newest  map[int64]newest
	batches map[Batch]*Batched
	// listedBatches are batches by what manifests list of them.
	listedBatches map[Batch]Batch
	wants         wants
	asked         int
}

type newest struct {
	micros int64
	some   bool
}

// answered is what a view lists inside spans.
type answered struct {
	*cursor
	spans []Span
}

type wants struct {
	newest  map[int64]bool
	views   map[View]*spanSet
	batches map[Batch]bool
}

// evident reports whether anything was kept that is to decide what the tables leave open.
func (q *Inquiry) evident() bool { return len(q.Kept) > 0 }

// Begin makes an inquiry ready.
func (q *Inquiry) Begin() {
	q.views, q.broken, q.newest, q.batches = map[View]answered{}, map[int64]bool{}, map[int64]newest{}, map[Batch]*Batched{}
	q.listedBatches = map[Batch]Batch{}
	q.clear()
	q.Loads.Sort()
	slices.SortFunc(q.Ledger, func(a, b evidence.Verified) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Low, b.Low))
	})
}

func (q *Inquiry) clear() {
	q.wants = wants{map[int64]bool{}, map[View]*spanSet{}, map[Batch]bool{}}
}

// SetDeleted gives the rows of Deleted.
func (q *Inquiry) SetDeleted(l List[Sight]) { q.deleted = &cursor{list: l} }

// SetSeen gives the manifests' ranges, by partition, lowest sequence and version.
func (q *Inquiry) SetSeen(l List[evidence.Manifest]) { q.cover = &cover{list: l} }

// SetNewest gives a row of Newest.
func (q *Inquiry) SetNewest(version int64, micros *int64) {
	n := newest{}
	if micros != nil {
		n = newest{*micros, true}
	}
	q.newest[version] = n
}

// SetView gives what Sights lists of a view inside spans.
func (q *Inquiry) SetView(v View, spans []Span, l List[Sight]) {
	if old, ok := q.views[v]; ok {
		old.close()
	}
	q.views[v] = answered{&cursor{list: l}, spans}
}

// SetBatch gives what Batches counts of a batch.
func (q *Inquiry) SetBatch(b Batch, n Batched) { q.batches[b] = &n }

// SetUncounted says that a batch cannot be counted.
func (q *Inquiry) SetUncounted(b Batch) {
	if q.broken[b.Version] {
		q.batches[b] = nil
	}
	q.broken[b.Version] = true
}

// SetBroken says that a version of the source cannot be read.
func (q *Inquiry) SetBroken(version int64) { q.broken[version] = true }

// Wants is what statements have to tell before more can be decided.
type Wants struct {
	Newest  []int64
	Views   []View
	Spans   [][]Span
	Batches []Batch
}

// mostAsked bounds what an inquiry asks for: views, batches and versions together.
const mostAsked = 256

// Wants gives what was asked for since it was called last; nothing more once the bound is reached.
func (q *Inquiry) Wants() Wants {
	var w Wants
	room := mostAsked - q.asked
	for v := range q.wants.newest {
		if room--; room < 0 {
			q.broken[v] = true
			continue
		}
		w.Newest = append(w.Newest, v)
	}
	for v, spans := range q.wants.views {
		if room--; room < 0 {
			q.broken[v.Version] = true
			continue
		}
		w.Views, w.Spans = append(w.Views, v), append(w.Spans, coarsen(slices.Concat(spans.spans, q.views[v].spans), mostSpans))
	}
	for b := range q.wants.batches {
		if room--; room < 0 {
			q.batches[b] = nil
			continue
		}
		w.Batches = append(w.Batches, b)
	}
	q.asked = mostAsked - max(room, 0)
	q.clear()
	return w
}

// None reports whether nothing is wanted.
func (w Wants) None() bool { return len(w.Newest)+len(w.Views)+len(w.Batches) == 0 }

// Close gives back what is held of lists, and the first error among them.
func (q *Inquiry) Close() error {
	var err error
	all := []*cursor{q.deleted}
	for _, c := range q.views {
		all = append(all, c.cursor)
	}
	for _, c := range all {
		if c != nil {
			c.close()
			if err == nil {
				err = c.err
			}
		}
	}
	if q.cover != nil {
		q.cover.close()
		if err == nil {
			err = q.cover.err
		}
	}
	if err != nil {
		return fmt.Errorf("find causes: %w", err)
	}
	return nil
}
