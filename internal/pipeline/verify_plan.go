package pipeline

import (
	"context"
	"errors"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// Planned is a statement that a verification would send.
type Planned struct {
	// Purpose says what it is for, When in which case it is sent, and in what it may differ from SQL then.
	Purpose, When, SQL string
}

// VerificationPlan is what a verification would do.
type VerificationPlan struct {
	Source, Target reconcile.Pinned
	// ReadAt and Cutoff are as in a Verification. Where age is measured from the newest event, Cutoff is zero: it is read
	// from the source first.
	ReadAt, Cutoff time.Time
	// Statements are in the order in which they would be sent.
	Statements []Planned
	// Reasons say why there would be nothing to compare.
	Reasons []reconcile.Reason
}

// PlanVerification lists every statement that Verify would send for the same request, with the versions that it would pin.
// It reads descriptions and histories of the tables, and no row of theirs; nothing is written.
func PlanVerification(ctx context.Context, w Verifiable, r VerifyRequest) (VerificationPlan, error) {
	s, err := subjectOf(ctx, w, r)
	if err != nil {
		return VerificationPlan{}, err
	}
	v := newVerifier(w, r, s)
	err = v.readPins(ctx)
	p := VerificationPlan{Source: v.out.Source, Target: v.out.Target, ReadAt: v.out.ReadAt, Cutoff: v.out.Cutoff}
	var d doubtful
	switch {
	case errors.As(err, &d):
		p.Reasons = append(p.Reasons, d.Reason)
		return p, nil
	case unreadable(err):
		p.Reasons = append(p.Reasons, reconcile.Reason{Code: codeOf(err), Text: err.Error()})
		return p, nil
	case err != nil:
		return p, err
	}
	p.Statements, err = v.planned()
	return p, err
}

// readPins pins the versions, and the cutoff where no row is needed for it.
func (v *verifier) readPins(ctx context.Context) error {
	if v.subject.doubt.Code != "" {
		return doubtful{v.subject.doubt}
	}
	for _, step := range []func(context.Context) error{v.describe, v.pin} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	c := v.subject.contract
	v.statements.Cutoff = reconcile.NewCutoff(v.out.ReadAt, c.SettleDelay, reconcile.SkewGuard, c.Strict)
	if c.SettleClock != coverage.SettleNewestEvent {
		v.out.Cutoff = v.statements.Cutoff.Time()
	}
	// The span of the source is not known: its window stands for it.
	window := v.retention.RollingWindow
	if window <= 0 {
		window = day
	}
	v.span = reconcile.TimeSpan{Some: true, Earliest: v.out.ReadAt.Add(-window).UnixMicro(), Latest: v.out.ReadAt.UnixMicro()}
	return nil
}

// planner writes the list. A statement that a verification sends and that is not in it turns a test red.
type planner struct {
	*verifier
	all []Planned
	// where is what the statements of a part have in common.
	where string
}

func (p *planner) add(purpose, when, sql string) {
	if p.where != "" {
		if when != "" {
			when = ", " + when
		}
		when = p.where + when
	}
	p.all = append(p.all, Planned{purpose, when, sql})
}

// The cases of most statements.
const (
	whenAlways = "always"
	whenDiffer = "if blocks differ; in its widest form here, then for the stretches that differ"
	whenVaries = "in its widest form here"
)

func (v *verifier) planned() ([]Planned, error) {
	p := &planner{verifier: v}
	if err := p.planEvidence(); err != nil {
		return nil, err
	}
	p.add("read the target's history", whenAlways, "DESCRIBE HISTORY "+v.statements.Target.SQL)
	p.add("read the source's history", whenAlways, "DESCRIBE HISTORY "+v.statements.Source.SQL)
	p.add("know the zone in which the history is printed", "if its instants have none", "SELECT current_timezone() AS zone")
	// A PASS that is repeated needs none of those that follow, but for the manifest.
	cut := whenAlways
	if v.out.Cutoff.IsZero() {
		cut += "; the cutoff that the others name is made of its answer, and the loader's read time stands for it here"
	}
	p.add("find the source's span of time", cut, v.statements.Span())
	if v.keyed != nil {
		p.planKeys()
	} else {
		p.planScan()
		p.planOpen()
		p.planSearch()
		p.planCauses()
	}
	p.add("count what the run wrote", "if a run of a job is verified that wrote to the target; statistics answer it", v.statements.Written([]int64{max(v.out.Target.Version, 1)}))
	return p.all, p.planRecord()
}

func (p *planner) planScan() {
	st := p.statements
	p.add("scan the source", "always; one part for each day between the earliest and the latest event, and for each side of the cutoff", st.SourceSlots(st.Cutoff.Slots(p.span.Earliest, p.span.Latest)))
	p.add("scan the source", "instead, if it spans too many days to name", st.SourceSlots(nil))
	p.add("scan the target", "always, unless the evidence vouches for stretches of it", st.TargetBlocks(nil))
	p.add("scan what is new in the target", "instead, with evidence that vouches for stretches; a stretch of one partition stands for them here", st.Outside(p.sampleTrust()))
	p.add("count the target's rows", "then too; statistics answer it", st.Total())
	p.where = "if the scans leave partitions undecided"
	p.add("compare block by block", whenVaries, st.SourceBlocks(nil))
	p.add("compare block by block", whenVaries, st.TargetBlocks(nil))
	p.add("split blocks at the cutoff and at midnight", whenVaries, st.Split(nil, nil))
	p.add("count repeated keys of the source", "and the source repeats some; "+whenVaries, st.SourceSurplus(nil, nil))
	p.where = ""
	p.add("see whether sequences began anew", "if the target has the lowest keys of the source; for these keys", st.TimesOf([]reconcile.Probe{{Span: p.sampleSpan()}}))
	p.add("see whether equal keys are the same rows", "if sequences seem to have begun anew; "+whenVaries, st.SameKeys(nil))
}

func (p *planner) sampleTrust() reconcile.Trusted {
	block := p.request.Block
	if block <= 0 {
		block = reconcile.DefaultBlock
	}
	return reconcile.NewTrusted([]reconcile.Span{{Partition: p.samplePartition(), From: 0, To: block - 1}}, block)
}

func (p *planner) samplePartition() string { return "0" }

func (p *planner) sampleSpan() reconcile.Span {
	return reconcile.Span{Partition: p.samplePartition()}
}

func (p *planner) planOpen() {
	st := p.statements
	p.add("list the keys that the target lacks", whenDiffer, st.Missing(nil, nil))
	p.add("list duplicates of accepted keys", "if ranges are accepted and keys repeat", p.withAccepted().AcceptedDuplicates())
	p.add("list duplicates", whenDiffer, st.Duplicates(nil))
}

// withAccepted are the statements with an accepted range.
func (p *planner) withAccepted() reconcile.Statements {
	st := p.statements
	st.Accepted = []reconcile.Span{p.sampleSpan()}
	return st
}

func (p *planner) planSearch() {
	st, version := p.statements, []int64{p.out.Source.Version}
	p.add("list the gaps that neither table fills", "if the target has gaps or blocks that differ; again for each round of versions read; "+whenVaries, st.Gaps(nil, nil))
	p.add("see how far versions of the source reach", "if rows have left the source; for up to 16 versions at once", st.Extents(version))
	p.add("list what left the source unread", "if versions may explain gaps; for up to 16 versions at once, in its widest form here", st.Removed(version, nil, nil))
}

func (p *planner) planCauses() {
	st, version := p.statements, p.out.Source.Version
	cutoff := st.Cutoff.Micros
	p.where = "if keys are missing, to find out why"
	p.planManifests()
	p.add("read both histories again", "", "DESCRIBE HISTORY "+st.Source.SQL)
	p.add("see how far the loader had come", "for up to 16 versions of the target at once", st.Peaks([]int64{p.out.Target.Version}))
	p.add("see what loads wrote", "for loads among the writes of others", st.Wrote([]reconcile.Commits{{Before: max(p.out.Target.Version-1, 0), After: p.out.Target.Version}}))
	p.add("look behind deletions in the target", "and there were some; "+whenVaries, st.Deleted([]int64{p.out.Target.Version}, nil))
	p.add("read what the loader took for now", "for versions of the source that runs read", st.Newest([]int64{version}))
	p.add("see which keys runs had to read", "for versions of the source that runs read; "+whenVaries, st.Sights([]reconcile.View{{Version: version, Sure: cutoff, Never: cutoff}}, [][]reconcile.Span{nil}))
	batch := reconcile.Batch{Version: version, Sure: cutoff, Partition: p.samplePartition()}
	p.add("see whether whole batches are missing", "for runs and partitions in question; where rows were removed from the target since, in its older versions too", st.Batches([]reconcile.Batch{batch}, reconcile.Came{}))
	batch.Whole = true
	p.add("see whether whole batches are missing", "for a first run", st.Batches([]reconcile.Batch{batch}, reconcile.Came{}))
	batch.Whole, batch.Listed = false, true
	p.add("see whether whole batches are missing", "where manifests stand for versions", st.Batches([]reconcile.Batch{batch}, reconcile.Came{}))
	p.where = ""
	p.add("find out what wrote keys twice", "if there are duplicates; for up to 48 versions of the target at once, in its widest form here", st.Copies([]int64{p.out.Target.Version}, nil))
}

func (p *planner) planKeys() {
	k, version := p.keys(), []int64{p.out.Source.Version}
	one := reconcile.Opened{Slices: []int64{0}, Blocks: []int64{0}}
	p.add("scan the target", whenAlways, k.Repeats())
	p.add("scan the source, and the target in the time of it", "always; but for blocks that the target repeats keys of", k.Slices(nil))
	p.where = "if slices differ"
	p.add("count the keys of the blocks that differ", "one stands for them here", k.DueKeys(one.Blocks))
	p.where = ""
	p.add("count the keys that are not due", "if there are some", k.LaterKeys())
	held := k
	held.Held = []int64{max(p.out.Target.Version-1, 0)}
	p.add("list the keys that the target lacks", "if slices differ; one stands for them here", k.Absent(one))
	p.add("list the keys that the target lacks", "instead, if rows were removed from the target: its versions before that are looked at too", held.Absent(one))
	p.add("list duplicates", "if blocks of the target repeat keys; one stands for them here", k.Doubled(one.Blocks))
	p.add("list what left the source unread", "if rows have left the source; for up to 16 versions at once", k.Left(version, nil))
	p.add("list what left the source unread", "instead, if rows were removed from the target: its versions before that are looked at too", held.Left(version, nil))
}
