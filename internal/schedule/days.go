package schedule

import "time"

const (
	sunday   = 1
	saturday = 7
)

func daysIn(y, m int) int {
	switch m {
	case 2:
		if y%4 == 0 && (y%100 != 0 || y%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// weekdayOf is 1 for Sunday to 7 for Saturday, as Quartz counts.
func weekdayOf(y, m, d int) int {
	return int(time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC).Weekday()) + 1
}

// days are the days of a month on which the expression fires; bit d is day d.
// Years are not looked at.
func (c *Cron) days(y, m int) uint32 {
	if c.monthBits&(1<<m) == 0 {
		return 0
	}
	last := daysIn(y, m)
	inMonth := uint32(1)<<(last+1) - 2
	switch {
	case c.byWeekday:
		return c.weekdays(weekdayOf(y, m, 1), last) & inMonth
	case c.lastDay && !c.nearestWeekday:
		return uint32(1) << max(0, last-c.lastOffset) & inMonth
	case c.lastDay:
		return nearest(last-c.lastOffset, last, y, m) & inMonth
	case c.nearestWeekday:
		return nearest(c.firstDay(), last, y, m) & inMonth
	}
	return uint32(c.dayBits) & inMonth
}

func (c *Cron) firstDay() int {
	for d := 1; d <= 31; d++ {
		if c.dayBits&(1<<d) != 0 {
			return d
		}
	}
	return 32
}

// nearest is the weekday nearest to a day, never in another month.
func nearest(day, last, y, m int) uint32 {
	if day < 1 || day > last {
		return 0
	}
	switch weekdayOf(y, m, day) {
	case saturday:
		if day == 1 {
			return 1 << 3
		}
		return 1 << (day - 1)
	case sunday:
		if day == last {
			return 1 << (day - 2)
		}
		return 1 << (day + 1)
	}
	return 1 << day
}

// weekdays are the days of a month of the given length whose first day is the
// weekday first.
func (c *Cron) weekdays(first, last int) uint32 {
	switch {
	case c.lastWeekday:
		day := c.firstOf(first)
		return 1 << (day + (last-day)/7*7)
	case c.nth > 0:
		// Quartz adds days until the weekday fits, and never arrives beyond 7.
		if c.weekday > 7 {
			return 0
		}
		day := c.firstOf(first) + 7*(c.nth-1)
		if day > last {
			return 0
		}
		return 1 << day
	}
	var days uint32
	for d := 1; d <= last; d++ {
		if c.weekdayBits&(1<<((first+d-2)%7+1)) != 0 {
			days |= 1 << d
		}
	}
	return days
}

// firstOf is the first day of the month that is the weekday L or # speak of.
// Weekday 0, which only # lets through, is Saturday.
func (c *Cron) firstOf(first int) int { return 1 + ((c.weekday-first)%7+7)%7 }
