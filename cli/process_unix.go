//go:build unix

package cli

import (
	"os/exec"
	"runtime"
	"syscall"
)

// group puts a child and what it starts into a process group of their own, and kills all of it when its context ends.
func group(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return killGroup(c) }
}

// killGroup ends whatever is left of a child's group.
func killGroup(c *exec.Cmd) error {
	if err := syscall.Kill(-c.Process.Pid, syscall.SIGKILL); err != syscall.ESRCH {
		return err
	}
	return nil
}

// peakMemory is in bytes: of this process, and an upper bound for the largest child that has ended. Linux counts in a
// child also what its parent held when it was started.
func peakMemory() (own, child int64, ok bool) {
	var self, children syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &self) != nil || syscall.Getrusage(syscall.RUSAGE_CHILDREN, &children) != nil {
		return 0, 0, false
	}
	unit := int64(1024)
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	return self.Maxrss * unit, children.Maxrss * unit, true
}
