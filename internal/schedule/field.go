package schedule

import "strconv"

// field is a position in an expression.
type field int

const (
	seconds field = iota
	minutes
	hours
	dayOfMonth
	month
	dayOfWeek
	year
)

// The values Quartz keeps in its sets for "*" and "?". They are reachable as
// plain numbers too: 99 is read as "*" and 98 as "?".
const (
	allValues = 99
	noValue   = 98
)

// Quartz looks at no year outside these.
const (
	firstYear = 1970
	lastYear  = 2999
)

func (f field) String() string {
	return [...]string{"seconds", "minutes", "hours", "day of month", "month", "day of week", "year"}[f]
}

// bounds are the lowest and highest value a field may hold.
func (f field) bounds() (low, high int) {
	switch f {
	case seconds, minutes:
		return 0, 59
	case hours:
		return 0, 23
	case dayOfMonth:
		return 1, 31
	case month:
		return 1, 12
	case dayOfWeek:
		return 1, 7
	default:
		return firstYear, lastYear
	}
}

// maxStep is the largest step Quartz accepts after "*/" and "n/".
func (f field) maxStep() int {
	_, high := f.bounds()
	return high
}

func (f field) rangeText() string {
	low, high := f.bounds()
	return "must be between " + strconv.Itoa(low) + " and " + strconv.Itoa(high)
}

// numbers is a set of the values of one field. Small values are bits; years
// are kept apart since they are large.
type numbers struct {
	small uint64
	large map[int]bool
}

func (n *numbers) add(v int) {
	if v >= 0 && v < 64 {
		n.small |= 1 << v
		return
	}
	if n.large == nil {
		n.large = map[int]bool{}
	}
	n.large[v] = true
}

func (n *numbers) has(v int) bool {
	if v >= 0 && v < 64 {
		return n.small&(1<<v) != 0
	}
	return n.large[v]
}

func (n *numbers) empty() bool { return n.small == 0 && len(n.large) == 0 }
