package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// body is what jobs/create or jobs/reset would be sent for this state; false while parts of it are missing, as after an
// import.
func (m loaderJobModel) body(ctx context.Context, warehouse string) (jobspec.Settings, bool) {
	if m.Name.IsNull() || m.Settings.IsNull() {
		return nil, false
	}
	var missing diag.Diagnostics
	settings := m.toSettings(ctx, warehouse, &missing)
	return settings, !missing.HasError()
}

// hasSettings tells that a write of these settings would change nothing: only the resource's own options differ.
func (m loaderJobModel) hasSettings(ctx context.Context, settings jobspec.Settings, warehouse string) bool {
	own, ok := m.body(ctx, warehouse)
	return ok && reflect.DeepEqual(own, settings)
}

// followed is what a refresh found.
type followed struct {
	// same: the live job is as the state says, and the state is as it was.
	same bool
	// differences are the places at which it is not; none of them after an import.
	differences []jobspec.Difference
}

// differences are the places at which the live job is not what was sent of this state with a warehouse.
func (m loaderJobModel) differences(ctx context.Context, job workspace.Job, warehouse string) []jobspec.Difference {
	own, ok := m.body(ctx, warehouse)
	if !ok {
		return nil
	}
	return jobspec.Compare(own, job.Settings)
}

// follow takes over what the live job says.
func (m *loaderJobModel) follow(ctx context.Context, job workspace.Job, warehouse string, diags *diag.Diagnostics) followed {
	var f followed
	if own, ok := m.body(ctx, warehouse); ok {
		if f.differences = jobspec.Compare(own, job.Settings); len(f.differences) == 0 {
			return followed{same: true}
		}
	}
	if m.Owner.ValueString() == "" {
		m.Owner = optional(jobspec.Tags(job.Settings)[contract.TagOwner])
	}
	m.refresh(ctx, job, warehouse, diags)
	return f
}

// reportChanges lists what was changed outside, from the value that was applied to the one that is there.
func (m loaderJobModel) reportChanges(ctx context.Context, prior loaderJobModel, job workspace.Job, f followed, diags *diag.Diagnostics) {
	if len(f.differences) == 0 {
		return
	}
	const ownerPath = "tags." + contract.TagOwner
	isContractSame := reflect.DeepEqual(m.toContract(ctx, diags), prior.toContract(ctx, diags))
	var lines []string
	for _, d := range f.differences {
		switch {
		case d.Path == ownerPath && d.Wanted != nil && d.Live != nil:
			diags.AddAttributeWarning(path.Root("owner"), "Another state manages this job too", fmt.Sprintf(
				"Job %d carries the tag %s = %v, and this state made or imported it as %v. Each apply of one of the two undoes the other's. Keep the resource in one state: take it out of the other with a removed block or terraform state rm.", job.ID, contract.TagOwner, d.Live, d.Wanted))
		case d.Path == ownerPath && d.Wanted == nil:
		case strings.HasPrefix(d.Path, "tags."+contract.TagPrefix) && d.Path != ownerPath && isContractSame:
		case strings.HasSuffix(d.Path, ".pause_status") && d.Live == jobspec.Paused: // reportPaused says it
		default:
			lines = append(lines, "  "+fromTo(d))
		}
	}
	if len(lines) == 0 {
		return
	}
	slices.Sort(lines)
	diags.AddWarning("The loader job was changed outside Terraform", fmt.Sprintf("Job %d (%s) is not as this state has it. The API does not say who changed it.\n\n%s\n\nApplying a plan puts back what the configuration says.",
		job.ID, m.Name.ValueString(), strings.Join(lines, "\n")))
}

// fromTo words a difference. The state may hold values that the configuration marks as sensitive, which nothing tells a
// provider: what users put secrets into is named by its path alone.
func fromTo(d jobspec.Difference) string {
	if d.IsSecret() {
		return d.Path + ": " + map[bool]string{true: "changed", false: "added"}[d.Wanted != nil && d.Live != nil]
	}
	return fmt.Sprintf("%s: %s → %s", d.Path, brief(d.Wanted), brief(d.Live))
}

func brief(v any) string {
	const longest = 120
	switch v := v.(type) {
	case nil:
		return "not set"
	case map[string]any:
		return "set"
	case []any:
		return fmt.Sprintf("%d elements", len(v))
	case string:
		if len([]rune(v)) > longest {
			v = string([]rune(v)[:longest]) + "…"
		}
		return fmt.Sprintf("%q", v)
	case json.Number:
		return v.String()
	}
	return fmt.Sprint(v)
}
