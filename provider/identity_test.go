package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func (p *protocol) resource(name string) tftypes.Type {
	return p.schemas.ResourceSchemas[name].ValueType()
}

// attributes reads the texts of an object: those of its attributes that are texts and not null.
func (p *protocol) attributes(kind tftypes.Type, dynamic *tfprotov6.DynamicValue) map[string]string {
	p.t.Helper()
	if dynamic == nil {
		return nil
	}
	value, err := dynamic.Unmarshal(kind)
	if err != nil {
		p.t.Fatal(err)
	}
	if value.IsNull() {
		return nil
	}
	var all values
	if err := value.As(&all); err != nil {
		p.t.Fatal(err)
	}
	out := map[string]string{}
	for name, v := range all {
		var text *string
		if v.Type().Is(tftypes.String) && v.IsKnown() && v.As(&text) == nil && text != nil {
			out[name] = *text
		}
	}
	return out
}
