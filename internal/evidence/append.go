package evidence

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
)

// longestStatement keeps a statement well below the 16 MiB that the API takes (databricks-sdk-go service/sql).
const longestStatement = 4 << 20

// Append adds records of one kind in as few statements as their size allows: nearly always one. Each record stands alone,
// so readers between two of the statements see nothing that is wrong.
func Append[R Record](p Place, scope string, records iter.Seq2[R, error]) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		var b strings.Builder
		for r, err := range records {
			if err != nil {
				yield("", err)
				return
			}
			if b.Len() > longestStatement {
				if !yield(b.String(), nil) {
					return
				}
				b.Reset()
			}
			if b.Len() == 0 {
				fmt.Fprintf(&b, "INSERT INTO %s (%s) VALUES\n", p.SQL(r.table()), strings.Join(p.names(r.table()), ", "))
			} else {
				b.WriteString(",\n")
			}
			b.WriteString(p.tuple(scope, r))
		}
		if b.Len() > 0 {
			yield(b.String(), nil)
		}
	}
}

func (p Place) tuple(scope string, r Record) string {
	var parts []string
	columns := r.table().columns()
	for i, v := range slices.Concat([]any{int64(Schema), scope}, r.values()) {
		if !p.lacks(r.table(), columns[i]) {
			parts = append(parts, literal(v))
		}
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// literal writes a value; what it has none for is null.
func literal(v any) string {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case bool:
		return strconv.FormatBool(v)
	case string:
		return contract.QuoteText(v)
	case time.Time:
		if !v.IsZero() {
			return contract.QuoteInstant(v)
		}
	}
	return "NULL"
}

// document writes a value as JSON.
func document(v any, none bool) any {
	if none {
		return nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil // cannot be: texts and integers
	}
	return string(text)
}
