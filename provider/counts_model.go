package provider

import (
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

type pinnedModel struct {
	Table   types.String `tfsdk:"table"`
	Version types.Int64  `tfsdk:"version"`
}

type countsModel struct {
	Due        int64 `tfsdk:"due"`
	Loaded     int64 `tfsdk:"loaded"`
	Missing    int64 `tfsdk:"missing"`
	InFlight   int64 `tfsdk:"in_flight"`
	Late       int64 `tfsdk:"late"`
	Doomed     int64 `tfsdk:"doomed"`
	Skipped    int64 `tfsdk:"skipped"`
	Expired    int64 `tfsdk:"expired"`
	Lost       int64 `tfsdk:"lost"`
	Duplicates int64 `tfsdk:"duplicates"`
}

type dayModel struct {
	Day      string `tfsdk:"day"`
	Due      int64  `tfsdk:"due"`
	Loaded   int64  `tfsdk:"loaded"`
	Missing  int64  `tfsdk:"missing"`
	InFlight int64  `tfsdk:"in_flight"`
}

type missingModel struct {
	Partition        types.String `tfsdk:"partition"`
	From             int64        `tfsdk:"from"`
	To               int64        `tfsdk:"to"`
	Rows             int64        `tfsdk:"rows"`
	State            string       `tfsdk:"state"`
	Cause            types.String `tfsdk:"cause"`
	Proof            types.String `tfsdk:"proof"`
	RecoverableUntil types.String `tfsdk:"recoverable_until"`
	RecoverFrom      types.String `tfsdk:"recover_from"`
}

// set writes a verification into attributes.
func (m *countsSourceModel) set(v reconcile.Verification, listed []reconcile.Range) {
	m.Verdict = types.StringValue(string(v.Verdict))
	m.RunID = types.StringNull()
	if v.Run != 0 {
		m.RunID = types.StringValue(strconv.FormatInt(v.Run, 10))
	}
	m.Cutoff = exactInstant(v.Cutoff)
	m.Source, m.Target = pinnedOf(v.Source), pinnedOf(v.Target)
	c := v.Counts
	m.Counts = countsModel{c.Due, c.Loaded, c.Missing, c.InFlight, c.Late, c.Doomed, c.Skipped, c.Expired, c.Lost, c.Duplicates}
	m.ByDay, m.Missing, m.Reasons = []dayModel{}, []missingModel{}, []reason{}
	for _, d := range v.ByDay {
		m.ByDay = append(m.ByDay, dayModel{d.Day, d.Due, d.Loaded, d.Missing, d.InFlight})
	}
	for _, r := range listed {
		m.Missing = append(m.Missing, missingModel{types.StringValue(r.Partition), r.From, r.To, r.Rows, string(r.State),
			optional(r.Cause), optional(r.Proof), exactInstant(r.RecoverableUntil), optional(r.RecoverFrom)})
	}
	for _, r := range v.Reasons {
		m.Reasons = append(m.Reasons, reason{r.Code, r.Text})
	}
}

func pinnedOf(p reconcile.Pinned) pinnedModel {
	m := pinnedModel{Table: optional(p.Table), Version: types.Int64Null()}
	if !p.Committed.IsZero() {
		m.Version = types.Int64Value(p.Version)
	}
	return m
}

// exactInstant keeps fractions of a second: a row may lie between.
func exactInstant(t time.Time) types.String {
	if t.IsZero() {
		return types.StringNull()
	}
	return types.StringValue(t.UTC().Format(time.RFC3339Nano))
}
