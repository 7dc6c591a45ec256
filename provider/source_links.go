package provider

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	resource "github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// forSource is an attribute of a resource as a data source takes it: links have one definition, in links.go.
func forSource(a resource.Attribute) schema.Attribute {
	switch a := a.(type) {
	case resource.StringAttribute:
		return schema.StringAttribute{Required: a.Required, Optional: a.Optional, MarkdownDescription: a.MarkdownDescription, Validators: a.Validators}
	case resource.Int64Attribute:
		return schema.Int64Attribute{Required: a.Required, Optional: a.Optional, MarkdownDescription: a.MarkdownDescription, Validators: a.Validators}
	case resource.BoolAttribute:
		return schema.BoolAttribute{Required: a.Required, Optional: a.Optional, MarkdownDescription: a.MarkdownDescription, Validators: a.Validators}
	case resource.ListAttribute:
		return schema.ListAttribute{Required: a.Required, Optional: a.Optional, MarkdownDescription: a.MarkdownDescription, ElementType: a.ElementType, Validators: a.Validators}
	case resource.SingleNestedAttribute:
		nested := make(map[string]schema.Attribute, len(a.Attributes))
		for name, n := range a.Attributes {
			nested[name] = forSource(n)
		}
		return schema.SingleNestedAttribute{Required: a.Required, Optional: a.Optional, MarkdownDescription: a.MarkdownDescription, Validators: a.Validators, Attributes: nested}
	}
	// It shows as a fault of the whole schema, at the first start of the provider.
	return schema.StringAttribute{MarkdownDescription: fmt.Sprintf("%T has no form in a data source.", a)}
}
