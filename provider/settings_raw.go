package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
)

// raw is a value of a dynamic attribute as JSON holds it: map[string]any, []any, string, json.Number, bool or nil.
type raw struct {
	value any
	// known is false when the value, or anything inside it, is not known yet.
	known bool
	// nulls: they stay where they are.
	nulls bool
}

func isRawKnown(v any) bool {
	switch v := v.(type) {
	case jobspec.Unknown:
		return false
	case map[string]any:
		for _, e := range v {
			if !isRawKnown(e) {
				return false
			}
		}
	case []any:
		for _, e := range v {
			if !isRawKnown(e) {
				return false
			}
		}
	}
	return true
}

// toRaw converts the value of a dynamic attribute. Lists, tuples and sets become arrays; objects and maps become
// objects; numbers keep every digit. Nulls are left out, of lists too: they are as if not written. Unknown values are
// jobspec.Unknown.
func toRaw(v attr.Value) (raw, error) { return rawOf(v, raw{known: true}) }

// toRawWithNulls converts a value that is to be converted back.
func toRawWithNulls(v attr.Value) (raw, error) { return rawOf(v, raw{known: true, nulls: true}) }

func rawOf(v attr.Value, r raw) (raw, error) {
	value, err := r.convert(v)
	r.value = value
	return r, err
}

func (r *raw) convert(v attr.Value) (any, error) {
	if v == nil || v.IsNull() {
		return nil, nil
	}
	if d, ok := v.(types.Dynamic); ok && !d.IsUnknown() {
		return r.convert(d.UnderlyingValue())
	}
	if v.IsUnknown() {
		r.known = false
		return jobspec.Unknown{}, nil
	}
	switch v := v.(type) {
	case types.String:
		return v.ValueString(), nil
	case types.Bool:
		return v.ValueBool(), nil
	case types.Number:
		return number(v.ValueBigFloat()), nil
	case types.Object:
		return r.object(v.Attributes())
	case types.Map:
		return r.object(v.Elements())
	case types.Tuple:
		return r.array(v.Elements())
	case types.List:
		return r.array(v.Elements())
	case types.Set:
		return r.array(v.Elements())
	}
	return nil, fmt.Errorf("a value of type %T has no place in JSON", v)
}

func (r *raw) object(in map[string]attr.Value) (any, error) {
	out := make(map[string]any, len(in))
	for k, e := range in {
		value, err := r.convert(e)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k, err)
		}
		if value != nil || r.nulls {
			out[k] = value
		}
	}
	return out, nil
}

func (r *raw) array(in []attr.Value) (any, error) {
	out := make([]any, 0, len(in))
	for i, e := range in {
		value, err := r.convert(e)
		if err != nil {
			return nil, fmt.Errorf("[%d]: %w", i, err)
		}
		if value != nil || r.nulls {
			out = append(out, value)
		}
	}
	return out, nil
}

// number writes a number without an exponent and without a rounding: 512 bits of precision are what Terraform itself
// keeps, and the shortest text that names the same number is what the user wrote.
func number(f *big.Float) json.Number {
	if f.IsInt() {
		return json.Number(f.Text('f', 0))
	}
	return json.Number(f.Text('f', -1))
}

// fromRaw converts JSON to the value of a dynamic attribute, with the types an HCL literal of the same text has: objects
// and tuples.
func fromRaw(ctx context.Context, v any) (types.Dynamic, error) {
	value, err := literal(ctx, v)
	if err != nil {
		return types.DynamicNull(), err
	}
	return types.DynamicValue(value), nil
}

func literal(ctx context.Context, v any) (attr.Value, error) {
	switch v := v.(type) {
	case nil:
		return types.DynamicNull(), nil
	case string:
		return types.StringValue(v), nil
	case bool:
		return types.BoolValue(v), nil
	case json.Number:
		f, _, err := big.ParseFloat(v.String(), 10, 512, big.ToNearestEven)
		if err != nil {
			return nil, fmt.Errorf("read number %s: %w", v, err)
		}
		return types.NumberValue(f), nil
	case map[string]any:
		return literalObject(ctx, v)
	case []any:
		return literalTuple(ctx, v)
	}
	return nil, fmt.Errorf("a value of Go type %T is not JSON", v)
}

func literalObject(ctx context.Context, in map[string]any) (attr.Value, error) {
	kinds := make(map[string]attr.Type, len(in))
	values := make(map[string]attr.Value, len(in))
	for k, e := range in {
		value, err := literal(ctx, e)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k, err)
		}
		values[k] = value
		kinds[k] = value.Type(ctx)
	}
	return types.ObjectValueMust(kinds, values), nil
}

func literalTuple(ctx context.Context, in []any) (attr.Value, error) {
	kinds := make([]attr.Type, len(in))
	values := make([]attr.Value, len(in))
	for i, e := range in {
		value, err := literal(ctx, e)
		if err != nil {
			return nil, fmt.Errorf("[%d]: %w", i, err)
		}
		values[i] = value
		kinds[i] = value.Type(ctx)
	}
	return types.TupleValueMust(kinds, values), nil
}
