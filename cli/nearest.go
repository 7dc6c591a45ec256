package cli

import "strings"

// nearest is the name that was probably meant: at most a third of it, and no more than three letters, differ.
func nearest(asked string, names []string) (string, bool) {
	best, distance := "", 4
	for _, name := range names {
		if len(name) < 2 {
			continue
		}
		d := edits(strings.ToLower(asked), name)
		if strings.HasPrefix(name, strings.ToLower(asked)) && len(asked) > 1 {
			d = min(d, 1)
		}
		if d < distance && (d <= 1 || d*3 <= max(len(asked), len(name))) {
			best, distance = name, d
		}
	}
	return best, best != ""
}

// edits counts insertions, deletions, replacements and swaps of neighbours between two words.
func edits(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range row {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(y)]
}
