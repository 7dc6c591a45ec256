package jobspec

import "strings"

// nearest is the candidate with the fewest edits, when they are few for a name of this length.
func nearest(name string, candidates []string) (string, bool) {
	best, fewest := "", 0
	for _, c := range candidates {
		d := edits(strings.ToLower(name), strings.ToLower(c))
		if best == "" || d < fewest {
			best, fewest = c, d
		}
	}
	return best, best != "" && 2*fewest <= 5*max(2, len(name)/3)
}

// edits weighs insertions, deletions and swaps of neighbours with 2 and replacements with 3: letters that are lost or
// swapped are more often a slip than other letters. "taks" is tasks, not tags.
func edits(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = 2 * i
	}
	for j := range y {
		rows[0][j+1] = 2 * (j + 1)
	}
	for i := range x {
		for j := range y {
			cost := 3
			if x[i] == y[j] {
				cost = 0
			}
			d := min(rows[i][j+1]+2, rows[i+1][j]+2, rows[i][j]+cost)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				d = min(d, rows[i-1][j-1]+2)
			}
			rows[i+1][j+1] = d
		}
	}
	return rows[len(x)][len(y)]
}
