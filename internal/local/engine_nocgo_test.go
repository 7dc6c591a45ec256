//go:build !cgo

package local

import (
	"errors"
	"strings"
	"testing"
)

func TestWithoutAnEngine(t *testing.T) {
	t.Parallel()
	_, err := Open(t.Context(), Options{})
	if !errors.Is(err, ErrNoEngine) || !strings.Contains(err.Error(), "CGO_ENABLED=1") {
		t.Errorf("%v", err)
	}
}
