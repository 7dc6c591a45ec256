package reconcile

import (
	"fmt"
	"slices"
	"strings"
)

const (
	// mostConditions is how many spans a statement names; beyond it, it reads everything.
	mostConditions = 1000
	// fewPartitions are named by themselves.
	fewPartitions = 3
	// mostPieces is how many pieces spans are cut to, or as many as there are spans.
	mostPieces = 128
	// shortestPiece is how many sequences a piece spans at least.
	shortestPiece = 1024
)

// among selects the rows of a relation whose keys lie in the spans, or all rows where there are no spans, or too many. A
// statement must not depend on it for more than its cost.
//
// An OR of conditions on two columns is what engines are worst at: DuckDB evaluated one of fifty spans for every row, and
// took ten times as long as to group them all. So rows are joined to pieces of the spans by equality, after filters on one
// column each, which the statistics of files and row groups can answer.
func (s Statements) among(relation string, spans []Span) string {
	if len(spans) == 0 || len(spans) > mostConditions {
		return relation
	}
	var values, partitions []string
	var numbers []int64
	low, high := spans[0].From, spans[0].To
	length := pieceOf(spans)
	for _, span := range spans {
		of := s.Columns.Literal(span.Partition)
		if !slices.Contains(partitions, of) {
			partitions = append(partitions, of)
		}
		low, high = min(low, span.From), max(high, span.To)
		for n := span.From / length; ; n++ {
			values, numbers = append(values, fmt.Sprintf("(%s, %d, %d, %d)", of, n, span.From, span.To)), append(numbers, n)
			if n == span.To/length {
				break
			}
		}
	}
	where := fmt.Sprintf("r.seq BETWEEN %d AND %d", low, high)
	if len(partitions) <= fewPartitions {
		where = fmt.Sprintf("r.p IN (%s) AND %s", strings.Join(partitions, ", "), where)
	}
	if len(spans) == 1 {
		return fmt.Sprintf("SELECT r.* FROM (%s) AS r WHERE %s", relation, where)
	}
	slices.Sort(numbers)
	if numbers = slices.Compact(numbers); uint64(len(numbers)) <= (uint64(high/length)-uint64(low/length)+1)/2 {
		where += fmt.Sprintf(" AND r.seq DIV %d IN (%s)", length, join(numbers))
	}
	return fmt.Sprintf("SELECT r.* FROM (%s) AS r LEFT SEMI JOIN (SELECT * FROM VALUES %s AS v(part, piece, low, high)) AS v ON r.p = v.part AND r.seq DIV %d = v.piece AND r.seq >= v.low AND r.seq <= v.high WHERE %s",
		relation, strings.Join(values, ", "), length, where)
}

// pieceOf is the least length of pieces, by powers of two, of which there are not too many in the spans. A piece holds the
// sequences whose quotient by it is equal.
func pieceOf(spans []Span) int64 {
	most := uint64(max(mostPieces, 2*len(spans)))
	for length := int64(shortestPiece); length < 1<<62; length *= 2 {
		n := uint64(0)
		for _, span := range spans {
			n += uint64(span.To/length-span.From/length) + 1
			if n > most {
				break
			}
		}
		if n <= most {
			return length
		}
	}
	return 1 << 62
}

func join(numbers []int64) string {
	var parts []string
	for _, n := range numbers {
		parts = append(parts, fmt.Sprint(n))
	}
	return strings.Join(parts, ", ")
}
