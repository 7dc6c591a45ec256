package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
)

// refreshSettings keeps the value of the state when nothing differs, else changes it at the places that do. An import
// has no value yet: it takes the live job but for what a write leaves as it is.
func (m *loaderJobModel) refreshSettings(ctx context.Context, prior loaderJobModel, live jobspec.Settings, warehouse string, diags *diag.Diagnostics) {
	live = withQueue(live)
	var now jobspec.Settings
	if prior.Settings.IsNull() {
		now = jobspec.Sorted(jobspec.Imported(jobspec.Beside(live, nil, m.attributes(ctx, diags))))
		now["queue"] = live["queue"] // turned on is the API's default, and not what the loader sends for nothing
		now = withoutQueue(now)
	} else {
		written := prior.written(diags)
		if diags.HasError() {
			return
		}
		beside := jobspec.Beside(withoutWarehouse(live, written.settings, warehouse), written.settings, m.attributes(ctx, diags))
		spelled, err := toRawWithNulls(prior.Settings)
		if err != nil {
			diags.AddError("The settings in the state cannot be read", sentence(err.Error()))
			return
		}
		was, _ := spelled.value.(map[string]any)
		changed, found := jobspec.Refresh(withQueue(was), beside)
		if len(found) == 0 {
			return
		}
		now = changed
		if written.settings["queue"] == nil {
			now = withoutQueue(now)
		}
	}
	value, err := fromRaw(ctx, now)
	if err != nil {
		diags.AddError("The job's settings cannot be read", sentence(err.Error()))
		return
	}
	m.Settings = value
}

// keepSettings plans the value of the state where the configuration asks for the same job: another order or spelling, a
// list for a tuple, a default written out change nothing. After an import the live job itself is what it is compared
// with, since an import cannot know how the configuration says it.
func (m *loaderJobModel) keepSettings(ctx context.Context, state loaderJobModel, imported jobspec.Settings, warehouse string, diags *diag.Diagnostics) {
	if m.Settings.IsUnknown() || state.Settings.IsNull() {
		return
	}
	planned, stored := m.written(diags), state.written(diags)
	if diags.HasError() || !planned.known || !stored.known {
		return
	}
	same := jobspec.IsSame(withQueue(stored.settings), withQueue(planned.settings))
	if !same && imported != nil {
		beside := jobspec.Beside(withQueue(imported), planned.settings, m.attributes(ctx, diags))
		same = len(jobspec.Compare(withQueue(withWarehouse(planned.settings, warehouse)), beside)) == 0
		if unseen := jobspec.Unseen(planned.settings, beside); same && len(unseen) > 0 {
			diags.AddAttributeWarning(path.Root("settings"), "An import cannot see every setting", fmt.Sprintf(
				"Databricks takes these and does not give them back, so the plan takes it that job %s has them as the configuration says: settings.%s. They are written with the next change of any setting.",
				state.ID.ValueString(), strings.Join(unseen, ", settings.")))
		}
	}
	if left := jobspec.Reset(stored.settings, planned.settings); imported != nil && same && len(left) > 0 {
		diags.AddAttributeWarning(path.Root("settings"), "The configuration leaves out what the job has", fmt.Sprintf(
			"Job %s has values at these places, which Databricks or somebody chose: settings.%s. This plan keeps them, and the plan after the first apply takes them out, so that Databricks chooses anew. Write them in settings to keep them.",
			state.ID.ValueString(), strings.Join(left, ", settings.")))
	}
	if same {
		m.Settings = state.Settings
	}
}

// importedKey is where the private state keeps the live settings of a job that was imported and not written since.
const importedKey = "imported"

// keepImported follows an imported job until it is written for the first time.
func keepImported(ctx context.Context, had privateReader, private privateWriter, isImport bool, live jobspec.Settings, diags *diag.Diagnostics) {
	if !isImport && importedSettings(ctx, had, diags) == nil {
		return
	}
	text, err := json.Marshal(live)
	if err != nil {
		diags.AddError("The job's settings cannot be kept", sentence(err.Error()))
		return
	}
	diags.Append(private.SetKey(ctx, importedKey, text)...)
}

// importedSettings are nil for a job that was written by this state.
func importedSettings(ctx context.Context, private privateReader, diags *diag.Diagnostics) jobspec.Settings {
	text, d := private.GetKey(ctx, importedKey)
	diags.Append(d...)
	if len(text) == 0 || string(text) == "null" {
		return nil
	}
	live, err := jobspec.Decode(bytes.NewReader(text))
	if err != nil {
		diags.AddError("The state of the loader job cannot be read", sentence(err.Error()))
	}
	return live
}
