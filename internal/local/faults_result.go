package local

import "encoding/json"

func (f Fault) changesResult() bool { return f.MarkTruncated || f.LoseRow || f.LoseValue }

// changeResult makes the answer of a statement say what its rows do not.
func (f Fault) changeResult(a *answer) {
	var m map[string]any
	if decodeJSON(a.Bytes(), &m) != nil {
		return
	}
	if manifest := object(m["manifest"]); manifest != nil {
		if f.MarkTruncated {
			manifest["truncated"] = true
		}
		if n, ok := manifest["total_row_count"].(json.Number); ok && f.LoseRow {
			rows, _ := n.Int64()
			manifest["total_row_count"] = rows + 1
		}
	}
	if f.LoseValue {
		loseValue(object(m["result"]))
		loseValue(m)
	}
	a.Reset()
	writeJSON(a, m)
}

func loseValue(chunk map[string]any) {
	rows, _ := chunk["data_array"].([]any)
	for i, row := range rows {
		if values, ok := row.([]any); ok && len(values) > 0 {
			rows[i] = values[:len(values)-1]
		}
	}
}
