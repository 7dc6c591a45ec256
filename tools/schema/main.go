// Command schema completes what `terraform providers schema -json` prints, for the generator of docs/: the provider goes
// by its short name, and its actions are there also when the Terraform at hand is older than 1.14 and does not know them.
//
// It reads standard input and writes standard output.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/watertight-data/terraform-provider-watertight/provider"
)

func main() {
	if err := complete(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "tools/schema:", err)
		os.Exit(1)
	}
}

func complete(ctx context.Context, in io.Reader, out io.Writer) error {
	var document struct {
		Version string                    `json:"format_version"`
		Schemas map[string]map[string]any `json:"provider_schemas"`
	}
	if err := json.NewDecoder(in).Decode(&document); err != nil {
		return fmt.Errorf("read the schema: %w", err)
	}
	schema, ok := document.Schemas[provider.Address]
	if !ok {
		return fmt.Errorf("the input has no schema of %s", provider.Address)
	}
	if schema["action_schemas"] == nil {
		actions, err := actionSchemas(ctx)
		if err != nil {
			return err
		}
		schema["action_schemas"] = actions
	}
	document.Schemas = map[string]map[string]any{"watertight": schema}
	return json.NewEncoder(out).Encode(document)
}

func actionSchemas(ctx context.Context) (map[string]any, error) {
	response, err := providerserver.NewProtocol6(provider.New("docs")())().GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, fmt.Errorf("ask the provider for its schema: %w", err)
	}
	actions := map[string]any{}
	for name, a := range response.ActionSchemas {
		attributes := map[string]any{}
		for _, one := range a.Schema.Block.Attributes {
			if one.NestedType != nil {
				return nil, fmt.Errorf("action %s: attribute %s is nested, which this command cannot write yet", name, one.Name)
			}
			attributes[one.Name] = map[string]any{"type": one.Type, "description": one.Description, "description_kind": "markdown", "required": one.Required, "optional": one.Optional}
		}
		actions[name] = map[string]any{"block": map[string]any{"attributes": attributes, "description": a.Schema.Block.Description, "description_kind": "markdown"}}
	}
	return actions, nil
}
