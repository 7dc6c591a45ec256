package anyjob

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
)

// Spelling writes values as people may: the same settings in other words.
type Spelling struct{ *Maker }

// HCL writes a value as a literal: with nulls, conversions to lists, sets and maps, and sensitive values here and there.
func (s Spelling) HCL(f *jobspec.Field, v any) string {
	switch v := v.(type) {
	case map[string]any:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, quoted(name)+" = "+s.HCL(under(f, name), v[name]))
		}
		if f.Kind == jobspec.Object {
			if name := pick(s.Maker, f.Names); v[name] == nil && s.IntN(3) == 0 {
				parts = append(parts, quoted(name)+" = null")
			}
		}
		text := "{ " + strings.Join(parts, ", ") + " }"
		if f.Kind == jobspec.Map && s.IntN(2) == 0 {
			return "tomap(" + text + ")"
		}
		return text
	case []any:
		parts := make([]string, len(v))
		plain := f.Element.Kind == jobspec.Text
		for i, e := range v {
			parts[i] = s.HCL(f.Element, e)
		}
		text := "[" + strings.Join(parts, ", ") + "]"
		switch {
		case plain && f.Set && s.IntN(2) == 0:
			return "toset(" + text + ")"
		case plain && s.IntN(2) == 0:
			return "tolist(" + text + ")"
		case s.IntN(8) == 0:
			return "[" + strings.Join(append(parts, "null"), ", ") + "]"
		}
		return text
	case string:
		if s.IntN(40) == 0 {
			return "sensitive(" + quoted(v) + ")"
		}
		return quoted(v)
	}
	return fmt.Sprint(v)
}

func under(f *jobspec.Field, name string) *jobspec.Field {
	if f.Kind == jobspec.Object {
		return f.Fields[name]
	}
	return f.Element
}

func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\r", `\r`, "${", "$${", "%{", "%%{").Replace(text) + `"`
}

// YAML writes a value in block style, its texts quoted.
func YAML(v any) string {
	var b strings.Builder
	yaml(&b, v, "")
	return b.String()
}

func yaml(b *strings.Builder, v any, indent string) {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			b.WriteString(" {}\n")
			return
		}
		b.WriteString("\n")
		for _, name := range slices.Sorted(maps.Keys(v)) {
			b.WriteString(indent + asJSON(name) + ":")
			yaml(b, v[name], indent+"  ")
		}
	case []any:
		if len(v) == 0 {
			b.WriteString(" []\n")
			return
		}
		b.WriteString("\n")
		for _, e := range v {
			b.WriteString(indent + "-")
			yaml(b, e, indent+"  ")
		}
	default:
		b.WriteString(" " + asJSON(v) + "\n")
	}
}

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}
