package local

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
)

// listen opens the port. Anything but loopback must be asked for: the API runs SQL for whoever holds the token.
func listen(ctx context.Context, address string, anyAddress bool) (net.Listener, error) {
	if address == "" {
		address = "127.0.0.1:0"
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("listen address %q: want host:port, such as 127.0.0.1:0: %w", address, err)
	}
	if !anyAddress && !loopback(host) {
		return nil, fmt.Errorf("listen address %q is not loopback, and the workspace runs SQL for whoever reaches it: use 127.0.0.1", address)
	}
	var c net.ListenConfig
	l, err := c.Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("listen on %s: the port is in use: end the process that holds it, or choose another port (0 takes a free one): %w", address, err)
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	return l, nil
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
