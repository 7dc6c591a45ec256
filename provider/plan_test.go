package provider_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/hashicorp/terraform-plugin-testing/plancheck"
)

// onlyDifference wants an update in which the first attribute changes and no other but the computed ones named after it.
func onlyDifference(attribute string, computed ...string) plancheck.PlanCheck {
	return difference{attribute, computed}
}

type difference struct {
	attribute string
	computed  []string
}

func (d difference) CheckPlan(_ context.Context, req plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	for _, r := range req.Plan.ResourceChanges {
		before, _ := r.Change.Before.(map[string]any)
		after, _ := r.Change.After.(map[string]any)
		if before == nil || after == nil {
			continue
		}
		var changed []string
		for name := range before {
			if !slices.Contains(d.computed, name) && !reflect.DeepEqual(before[name], after[name]) {
				changed = append(changed, name)
			}
		}
		if !slices.Equal(changed, []string{d.attribute}) {
			resp.Error = fmt.Errorf("%s changes %v, want %s alone", r.Address, changed, d.attribute)
		}
		return
	}
	resp.Error = fmt.Errorf("no resource is updated")
}
