//go:build cgo && unix

package bench

import (
	"syscall"
	"time"
)

// processorTime is what this process took so far, the engine in it included.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
