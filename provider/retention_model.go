package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
)

// isAnotherTable tells a table from the same one in another spelling: Unity Catalog does not tell upper from lower case.
func isAnotherTable(_ context.Context, req planmodifier.StringRequest, resp *stringplanmodifier.RequiresReplaceIfFuncResponse) {
	resp.RequiresReplace = !sameTable(req.StateValue.ValueString(), req.PlanValue.ValueString())
}

func sameTable(a, b string) bool {
	x, err := contract.ParseTable(a)
	y, err2 := contract.ParseTable(b)
	return err == nil && err2 == nil && x.Is(y)
}

func (m retentionModel) durationsKnown() bool {
	return !m.DeletedFileRetention.IsUnknown() && !m.LogRetention.IsUnknown()
}

func (m retentionModel) declaresBoth() bool {
	return m.durationsKnown() && !m.DeletedFileRetention.IsNull() && !m.LogRetention.IsNull()
}

// durations returns what will hold: what is declared, else what the table has and nobody is going to unset, else Delta's
// default.
func (m retentionModel) durations(state *retentionModel, live map[string]string) (deleted, log time.Duration) {
	left := maps.Clone(live)
	for key := range left {
		if state != nil && strings.EqualFold(key, contract.PropertyDeletedFileRetention) && !state.DeletedFileRetention.IsNull() ||
			state != nil && strings.EqualFold(key, contract.PropertyLogRetention) && !state.LogRetention.IsNull() {
			delete(left, key)
		}
	}
	return effective(m.DeletedFileRetention, left, contract.PropertyDeletedFileRetention, contract.DefaultDeletedFileRetention),
		effective(m.LogRetention, left, contract.PropertyLogRetention, contract.DefaultLogRetention)
}

func effective(declared types.String, live map[string]string, key string, otherwise time.Duration) time.Duration {
	if !declared.IsNull() {
		return duration(declared)
	}
	if text, ok := property(live, key); ok {
		if d, err := interval.ParseDelta(text); err == nil {
			return d
		}
	}
	return otherwise
}

func (m retentionModel) recoverableFor(state *retentionModel, live map[string]string) types.String {
	deleted, log := m.durations(state, live)
	return types.StringValue(interval.Short(min(deleted, log)))
}

// toContract is what is declared; toProperties is how the table carries it.
func (m retentionModel) toContract() contract.Retention {
	return contract.Retention{
		Table: m.Table.ValueString(), RollingWindow: duration(m.RollingWindow), EventTime: m.EventTime.ValueString(), Owner: m.Owner.ValueString(),
		ExpireBy: m.ExpireBy.ValueString(), DeletedFileRetention: duration(m.DeletedFileRetention), LogRetention: duration(m.LogRetention),
	}
}

func (m retentionModel) toProperties() map[string]string { return m.toContract().Properties() }

// alteration is one statement, and how the table shows that it has taken effect.
type alteration struct {
	statement string
	done      func(live map[string]string) bool
}

// toAlterations leads from the table as it is to what is planned: nothing when they agree, and never a property that is
// neither declared now nor was before. What deletes rows is loosened before the promise is widened, and tightened after
// it is narrowed: at no moment does the table promise more than it keeps.
func (m retentionModel) toAlterations(state *retentionModel, live map[string]string) []alteration {
	table, err := contract.ParseTable(m.Table.ValueString())
	if err != nil {
		return nil
	}
	promise := m.toPromise(state, live, table)
	expires := m.ExpireBy.ValueString() == contract.ExpireAutoTTL
	had, hasTTL := property(live, contract.PropertyAutoTTLDays)
	switch {
	case expires && !m.isTTLOf(live):
		set := alteration{setRowDeletion(table, duration(m.RollingWindow), m.EventTime.ValueString()), m.isTTLOf}
		var n int64
		if _, err := fmt.Sscan(had, &n); hasTTL && err == nil && duration(m.RollingWindow) > time.Duration(n)*day {
			return append([]alteration{set}, promise...)
		}
		return append(promise, set)
	case !expires && hasTTL && m.setTTL(state, live):
		drop := alteration{dropRowDeletion(table), func(live map[string]string) bool {
			_, still := property(live, contract.PropertyAutoTTLDays)
			return !still
		}}
		return append([]alteration{drop}, promise...)
	}
	return promise
}

// setTTL tells whether the row deletion that the table has was set here. Somebody else's stays.
func (m retentionModel) setTTL(state *retentionModel, live map[string]string) bool {
	by, _ := property(live, contract.PropertyExpireBy)
	return by == contract.ExpireAutoTTL || state != nil && state.ExpireBy.ValueString() == contract.ExpireAutoTTL
}

// toPromise are the statements about properties: one that sets, and one that unsets. Setting comes first, unless Delta would
// refuse it for a retention that is about to be unset: then it comes after, and the pair holds in between either way.
func (m retentionModel) toPromise(state *retentionModel, live map[string]string, table contract.Table) []alteration {
	wanted, changed := m.toProperties(), map[string]string{}
	for key, value := range wanted {
		if text, ok := property(live, key); !ok || !sameValue(text, value) {
			changed[key] = value
		}
	}
	dropped := droppedKeys(state, live, wanted)
	var out []alteration
	if len(dropped) > 0 {
		out = append(out, alteration{unsetProperties(table, dropped), func(now map[string]string) bool {
			return !slices.ContainsFunc(dropped, func(key string) bool { _, still := property(now, key); return still })
		}})
	}
	if len(changed) == 0 {
		return out
	}
	set := alteration{setProperties(table, changed, live), func(now map[string]string) bool {
		for key, value := range changed {
			if text, ok := property(now, key); !ok || !sameValue(text, value) {
				return false
			}
		}
		return true
	}}
	if deleted, log := m.durations(nil, live); deleted <= log {
		return append([]alteration{set}, out...)
	}
	set.statement = setProperties(table, changed, without(live, dropped))
	return append(out, set)
}

func without(live map[string]string, keys []string) map[string]string {
	left := maps.Clone(live)
	maps.DeleteFunc(left, func(key, _ string) bool {
		return slices.ContainsFunc(keys, func(k string) bool { return strings.EqualFold(k, key) })
	})
	return left
}

// droppedKeys are what was declared and is no more, and what a former owner declared under Watertight's own prefix.
func droppedKeys(state *retentionModel, live, wanted map[string]string) []string {
	was := map[string]string{}
	if state != nil {
		was = state.toProperties()
	}
	for key := range contract.OwnProperties(live) {
		was[key] = ""
	}
	var dropped []string
	for key := range was {
		_, isWanted := property(wanted, key)
		if _, has := property(live, key); has && !isWanted {
			dropped = append(dropped, key)
		}
	}
	return dropped
}

// isTTLOf tells whether the table's row deletion is the planned one.
func (m retentionModel) isTTLOf(live map[string]string) bool {
	days, _ := property(live, contract.PropertyAutoTTLDays)
	column, _ := property(live, contract.PropertyAutoTTLColumn)
	return days == fmt.Sprint(int64(duration(m.RollingWindow)/day)) && strings.EqualFold(column, m.EventTime.ValueString())
}

// toUnset is Delete: the keys that were set, where the table still has them, and the row deletion that was set. What
// another owner has taken over is the other's.
func (m retentionModel) toUnset(live map[string]string) []alteration {
	table, err := contract.ParseTable(m.ID.ValueString())
	if err != nil || m.isTakenOver(live) {
		return nil
	}
	var out []alteration
	if _, ok := property(live, contract.PropertyAutoTTLDays); ok && m.setTTL(&m, live) {
		out = append(out, alteration{statement: dropRowDeletion(table)})
	}
	if keys := droppedKeys(&m, live, nil); len(keys) > 0 {
		out = append(out, alteration{statement: unsetProperties(table, keys)})
	}
	return out
}

// sameValue compares two texts of a property as durations where both are, else as text.
func sameValue(a, b string) bool {
	x, err := interval.Parse(a)
	y, err2 := interval.Parse(b)
	return a == b || (err == nil && err2 == nil && x == y)
}

func optional(text string) types.String {
	if text == "" {
		return types.StringNull()
	}
	return types.StringValue(text)
}

func optionalProperty(live map[string]string, key string) types.String {
	text, _ := property(live, key)
	return optional(text)
}

func textMap(in map[string]string) types.Map {
	values := make(map[string]attr.Value, len(in))
	for k, v := range in {
		values[k] = types.StringValue(v)
	}
	return types.MapValueMust(types.StringType, values)
}
