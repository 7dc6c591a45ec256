package report

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// keyed is the key of a row by the names of its columns, in the order of the contract.
type keyed struct {
	names  []string
	values []reconcile.KeyValue
}

// MarshalJSON keeps the order of the columns.
func (k keyed) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, name := range k.names {
		b.WriteString([]string{"{", ","}[min(i, 1)])
		var value any
		if v := k.values[i]; !v.Null {
			value = v.Text
		}
		for j, part := range []any{name, value} {
			text, err := compact(part)
			if err != nil {
				return nil, err
			}
			b.WriteString([]string{"", ":"}[j] + text)
		}
	}
	b.WriteString("}")
	return b.Bytes(), nil
}

// text quotes the values, so that a blank at an end is seen.
func (k keyed) text() string {
	var parts []string
	for i, name := range k.names {
		value := "NULL"
		if v := k.values[i]; !v.Null {
			value = strconv.Quote(v.Text)
		}
		parts = append(parts, name+" "+value)
	}
	return strings.Join(parts, ", ")
}

// atKey is where a row without a sequence is.
type atKey struct {
	Key keyed `json:"key"`
}

type missingKey struct {
	atKey
	missing
}

type duplicateKey struct {
	atKey
	duplicate
}
