// Command schema completes what `terraform providers schema -json` prints, for the generator of docs/: the provider goes
// by its short name, and what the Terraform at hand is too old to know is there too: actions before 1.14, identities of
// resources before 1.12.
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
	for name, ask := range map[string]func(context.Context) (map[string]any, error){"action_schemas": actionSchemas, "resource_identity_schemas": identitySchemas} {
		if schema[name] != nil {
			continue
		}
		found, err := ask(ctx)
		if err != nil {
			return err
		}
		schema[name] = found
	}
	document.Schemas = map[string]map[string]any{"watertight": schema}
	return json.NewEncoder(out).Encode(document)
}

func identitySchemas(ctx context.Context) (map[string]any, error) {
	response, err := providerserver.NewProtocol6(provider.New("docs")())().GetResourceIdentitySchemas(ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		return nil, fmt.Errorf("ask the provider for the identities of its resources: %w", err)
	}
	identities := map[string]any{}
	for name, i := range response.IdentitySchemas {
		attributes := map[string]any{}
		for _, one := range i.IdentityAttributes {
			attributes[one.Name] = map[string]any{"type": one.Type, "description": one.Description, "required_for_import": one.RequiredForImport, "optional_for_import": one.OptionalForImport}
		}
		identities[name] = map[string]any{"version": i.Version, "attributes": attributes}
	}
	return identities, nil
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
