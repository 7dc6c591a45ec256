package pipeline

import (
	"slices"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/evidence"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/recovery"
)

// store is where the statements of a plan find the evidence: a file has only those that read the source.
type store struct {
	place evidence.Place
	scope string
	file  bool
}

// store is nil where no evidence is kept.
func (p *planner) store() (*store, error) {
	c := p.subject.contract
	switch {
	case p.request.EvidencePath != "":
		return &store{scope: scopeOf(c), file: true}, nil
	case c.Evidence == "":
		return nil, nil
	}
	place, err := evidence.NewPlace(c.Evidence)
	if err != nil {
		return nil, &ConfigurationError{Subject: "evidence", Reason: err.Error(), Hint: "Correct the attribute evidence of the loader."}
	}
	return &store{place: place, scope: scopeOf(c)}, nil
}

func (p *planner) planEvidence() error {
	s, err := p.store()
	if err != nil || s == nil {
		return err
	}
	if !s.file {
		var versions []string
		for _, t := range evidence.Tables() {
			versions = append(versions, s.place.Versions(t))
		}
		p.add("see what shape the evidence has", "if its tables are there", strings.Join(versions, "\nUNION ALL "))
		p.add("complete a table that an earlier version made", "if it lacks columns", s.place.Add(evidence.Runs, evidence.Added()))
		for _, t := range evidence.Tables() {
			p.add("make a table of the evidence", "if it is not there", s.place.Create(t))
		}
	}
	if len(p.request.Accept) > 0 {
		p.add("know who accepts a range", whenAlways, "SELECT current_user() AS who")
		if err := p.planFindings(s, "record the accepted ranges", "always; a record a range"); err != nil {
			return err
		}
	}
	if s.file {
		return nil
	}
	if !p.request.Full {
		p.add("see whether anything changed since the last verification", "always; if nothing did, and it passed, no statement that reads a row follows, but for the manifest", s.place.Last(s.scope))
	}
	p.add("read what was verified", whenAlways, s.place.VerifiedThrough(s.scope, definitionOf(p.subject.contract)))
	p.add("read earlier findings", whenAlways, s.place.Newest(s.scope))
	return nil
}

// planManifests are the statements that read manifests.
func (p *planner) planManifests() {
	s, err := p.store()
	if err != nil || s == nil || s.file {
		return
	}
	id := p.sourceTable.ID
	p.add("see what manifests list beyond the tables", "if versions do not show everything; for the partitions' bounds", s.place.Beyond(s.scope, id, nil))
	p.add("read what earlier verifications recorded", "", s.place.RunsSince(s.scope, p.out.ReadAt.UnixMicro()))
	p.add("read which manifests there are", "", s.place.Kept(s.scope, id))
	p.add("read manifests", "for the partitions' bounds", s.place.Seen(s.scope, id, nil))
}

func (p *planner) planRecord() error {
	s, err := p.store()
	if err != nil || s == nil {
		return err
	}
	if p.keyed == nil {
		p.planManifest(s)
	} else if !s.file {
		p.add("read what earlier verifications recorded", whenAlways, s.place.RunsSince(s.scope, p.out.ReadAt.UnixMicro()))
	}
	if err := p.planFindings(s, "record findings", "if there are some; a record a range, and what stands here is one"); err != nil {
		return err
	}
	if p.keyed != nil {
		var key []reconcile.KeyValue
		for range p.keyed.columns {
			key = append(key, reconcile.KeyValue{Null: true})
		}
		k := p.keys()
		p.add("see whether earlier findings are resolved", "if there are some", k.Present([][]reconcile.KeyValue{key}))
		k.Target = k.Source
		p.add("see whether the source has the keys of earlier findings", "if there are some", k.Present([][]reconcile.KeyValue{key}))
	} else {
		target := recovery.Target{SQL: p.statements.Target.SQL, Key: p.statements.Columns}
		p.add("see whether earlier findings are resolved", "if there are some", target.Present(p.out.Target.Version, []recovery.Range{{Partition: p.samplePartition()}}))
	}
	if s.file {
		return nil
	}
	at := time.UnixMicro(p.span.Latest)
	if p.keyed == nil {
		verified := evidence.Verified{Definition: definitionOf(p.subject.contract), Partition: p.samplePartition(), TargetVersion: p.out.Target.Version, TargetID: p.targetTable.ID, VerifiedAt: at}
		if err := planRecordOf(p, s, "record what was verified", "always; a record a stretch, and what stands here is one", verified); err != nil {
			return err
		}
	}
	return planRecordOf(p, s, "record the verification", "always; what stands here is no record of one", evidence.Run{VerifiedAt: at, ReadAt: p.out.ReadAt, Cutoff: p.out.Cutoff, SourceVersion: p.out.Source.Version, TargetVersion: p.out.Target.Version})
}

// planManifest keeps the source as it was read, and as it is now.
func (p *planner) planManifest(s *store) {
	cuts := p.cuts()
	if p.out.Cutoff.IsZero() {
		cuts = []int64{p.statements.Cutoff.Edge()}
	}
	for _, m := range p.wanted() {
		source := manifestOf(p.statements, p.sourceTable.ID, m.of, m.at, cuts)
		if s.file {
			p.add("read a manifest of the source", "unless it is kept already", source.Ranges())
			continue
		}
		p.add("see whether a manifest is kept", whenAlways, s.place.Has(s.scope, p.sourceTable.ID, m.of.Version, m.at))
		p.add("keep a manifest of the source", "if not", s.place.Keep(s.scope, source))
	}
}

func (p *planner) planFindings(s *store, purpose, when string) error {
	if s.file {
		return nil
	}
	return planRecordOf(p, s, purpose, when, evidence.Finding{Name: findingName("missing", p.samplePartition(), 0, 0), Partition: p.samplePartition(), Rows: 1, State: string(reconcile.Late), TargetVersion: p.out.Target.Version, RecordedAt: time.UnixMicro(p.span.Latest)})
}

// planRecordOf adds the statement that appends a record.
func planRecordOf[R evidence.Record](p *planner, s *store, purpose, when string, r R) error {
	for sql, err := range evidence.Append(s.place, s.scope, sure(slices.Values([]R{r}))) {
		if err != nil {
			return err
		}
		p.add(purpose, when, sql)
	}
	return nil
}
