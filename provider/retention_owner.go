package provider

import (
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// ownerSet are owners that were read from the state.
type ownerSet struct {
	mu   sync.Mutex
	seen map[string]bool
}

func (s *ownerSet) see(owner types.String) {
	if owner.ValueString() == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	s.seen[owner.ValueString()] = true
}

func (s *ownerSet) has(owner string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[owner]
}

// isTakenOver tells whether the table's properties name another owner.
func (m retentionModel) isTakenOver(live map[string]string) bool {
	owner, ok := property(live, contract.PropertyOwner)
	return ok && !m.Owner.IsUnknown() && owner != m.Owner.ValueString()
}

// refuseOthers keeps two states from changing one table back and forth forever.
func (m retentionModel) refuseOthers(state *retentionModel, table workspace.Table, diags *diag.Diagnostics) {
	own := contract.OwnProperties(table.Properties)
	owner, _ := property(own, contract.PropertyOwner)
	if by, _ := property(own, contract.PropertyExpireBy); m.Adopt.ValueBool() && by == contract.ExpirePurgeJob && (state == nil || m.isTakenOver(table.Properties)) {
		diags.AddAttributeWarning(path.Root("adopt"), "The purge job of the other owner goes on", fmt.Sprintf(
			"%s is purged by a job with the tags %s = %s and %s = %s, which adopt does not take over. Destroy it from the state that made it, or delete it by hand.", table.FullName, contract.TagPurge, table.FullName, contract.TagOwner, orNone(owner)))
	}
	if m.Adopt.ValueBool() || m.Adopt.IsUnknown() {
		return
	}
	switch {
	case state == nil && len(own) > 0:
		window, _ := property(own, contract.PropertyRollingWindow)
		by, _ := property(own, contract.PropertyExpireBy)
		diags.AddAttributeError(path.Root("table"), "The retention of this table is kept already", fmt.Sprintf(
			"%s has watertight.rolling_window = %q and watertight.expire_by = %q, set by the owner %s%s. Two watertight_retention of one table would change it back and forth forever: nothing was written.\n\nIf it is the one that is meant (a lost state, another checkout), take it over:\n\nimport {\n  to = watertight_retention.<name>\n  id = %q\n}\n\nIf another state keeps it, take it out of there, or set adopt = true to take it over from it.",
			table.FullName, window, by, orNone(owner), changedBy(table), table.FullName))
	case state != nil && m.isTakenOver(table.Properties) && !m.settled(state):
		diags.AddAttributeError(path.Root("table"), "Another Terraform state keeps the retention of this table", fmt.Sprintf(
			"%s belongs to the owner %s now%s, and this resource is the owner %s. Applying both would change the table back and forth forever: nothing was written.\n\nTake it out of one of the two states (terraform state rm), or set adopt = true to take it back into this one.",
			table.FullName, owner, changedBy(table), orNone(m.Owner.ValueString())))
	}
}

func orNone(owner string) string {
	if owner == "" {
		return "(of an older version)"
	}
	return owner
}
