package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// F03 hashicorp/terraform-plugin-framework#775 and F04 ClickHouse/terraform-provider-clickhouse#611: sets of objects are
// quadratic, and computed values in them match nothing; so there are none. Tasks come in one dynamic value.
func TestSchemaHasNoSetsOfObjects(t *testing.T) {
	t.Parallel()
	var walk func(at string, attributes []*tfprotov6.SchemaAttribute)
	walk = func(at string, attributes []*tfprotov6.SchemaAttribute) {
		for _, a := range attributes {
			name := at + "." + a.Name
			if a.NestedType == nil {
				if holdsSetOfObjects(a.Type) {
					t.Errorf("%s is %s", name, a.Type)
				}
				continue
			}
			if a.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSet {
				t.Errorf("%s is a set of objects", name)
			}
			walk(name, a.NestedType.Attributes)
		}
	}
	s := providerSchema(t)
	blocks := map[string]*tfprotov6.SchemaBlock{"provider": s.Provider.Block}
	for name, r := range s.ResourceSchemas {
		blocks[name] = r.Block
	}
	for name, d := range s.DataSourceSchemas {
		blocks["data."+name] = d.Block
	}
	if len(blocks) < 5 {
		t.Fatalf("only %d schemas", len(blocks))
	}
	for name, b := range blocks {
		walk(name, b.Attributes)
		for _, nested := range b.BlockTypes {
			t.Errorf("%s.%s is a block: an attribute can be given as a whole", name, nested.TypeName)
		}
	}
	for _, a := range s.ResourceSchemas["watertight_loader_job"].Block.Attributes {
		if a.Name == "settings" && !a.Type.Is(tftypes.DynamicPseudoType) {
			t.Errorf("settings is %s", a.Type)
		}
	}
}

func holdsSetOfObjects(of tftypes.Type) bool {
	switch of := of.(type) {
	case tftypes.Set:
		return !of.ElementType.Is(tftypes.String) && !of.ElementType.Is(tftypes.Number) && !of.ElementType.Is(tftypes.Bool)
	case tftypes.List:
		return holdsSetOfObjects(of.ElementType)
	case tftypes.Map:
		return holdsSetOfObjects(of.ElementType)
	case tftypes.Object:
		for _, element := range of.AttributeTypes {
			if holdsSetOfObjects(element) {
				return true
			}
		}
	}
	return false
}
