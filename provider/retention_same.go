package provider

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"

	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
)

// same keeps the state's spelling of a value that means the same: 1 week for 7 days is no difference.
type same struct {
	what string
	is   func(a, b string) bool
}

var _ planmodifier.String = same{}

func (s same) Description(context.Context) string {
	return "another spelling of the same " + s.what + " is no difference"
}
func (s same) MarkdownDescription(ctx context.Context) string { return s.Description(ctx) }

// PlanModifyString plans the value of the state. Terraform lets a provider do so where it calls the two equal.
func (s same) PlanModifyString(_ context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse) {
	if req.StateValue.IsNull() || req.PlanValue.IsNull() || req.PlanValue.IsUnknown() {
		return
	}
	if s.is(req.StateValue.ValueString(), req.PlanValue.ValueString()) {
		resp.PlanValue = req.StateValue
	}
}

func sameDuration() planmodifier.String {
	return same{"duration", func(a, b string) bool {
		x, err := interval.Parse(a)
		y, err2 := interval.Parse(b)
		return err == nil && err2 == nil && x == y
	}}
}

func sameTableName() planmodifier.String { return same{"table", sameTable} }

func sameColumnName() planmodifier.String { return same{"column", strings.EqualFold} }
