package cli

import (
	"context"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// Env is what a command may touch outside of itself. Tests replace parts of it.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Version is that of this build.
	Version string
	// Lookup reads the environment; Environ lists it for child processes.
	Lookup  func(name string) (string, bool)
	Environ func() []string
	// Now and Sleep are the clock of this machine. Sleep returns early with ctx's error.
	Now   func() time.Time
	Sleep func(ctx context.Context, d time.Duration) error
	// Width is the number of columns of the terminal behind Stderr; 0: it is none.
	Width func() int
	// CacheDir is where the user keeps what can be made again; Executable is this program.
	CacheDir   func() (string, error)
	Executable func() (string, error)
	// Workspace makes a client. It makes no call.
	Workspace func(workspace.Config) (*workspace.Client, error)
}

// SystemEnv is the environment of this process.
func SystemEnv(version string) *Env {
	return &Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Version: version,
		Lookup: os.LookupEnv, Environ: os.Environ, Now: time.Now, Sleep: workspace.Sleep, Width: terminalWidth,
		CacheDir: os.UserCacheDir, Executable: os.Executable, Workspace: workspace.New,
	}
}

func terminalWidth() int {
	fd := int(os.Stderr.Fd())
	if !term.IsTerminal(fd) {
		return 0
	}
	width, _, err := term.GetSize(fd)
	if err != nil {
		return 0
	}
	return width
}

func (e *Env) variable(name string) string {
	value, _ := e.Lookup(name)
	return value
}
