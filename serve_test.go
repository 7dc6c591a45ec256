package main

import (
	"os"
	"strings"
	"testing"
)

// The framework's trace is written when somebody asks for logs, and then as they ask.
func TestQuieten(t *testing.T) {
	for name, c := range map[string]struct {
		set  map[string]string
		want string
	}{
		"nobody asks":    {nil, "OFF"},
		"an empty wish":  {map[string]string{"TF_LOG": ""}, "OFF"},
		"all logs":       {map[string]string{"TF_LOG": "TRACE"}, ""},
		"the provider's": {map[string]string{"TF_LOG_PROVIDER": "DEBUG"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, pair := range os.Environ() {
				if key, _, _ := strings.Cut(pair, "="); strings.HasPrefix(key, "TF_LOG") {
					t.Setenv(key, "")
				}
			}
			t.Setenv("TF_LOG_SDK", "")
			t.Setenv("TF_LOG_SDK_FRAMEWORK", "")
			for key, value := range c.set {
				t.Setenv(key, value)
			}
			quieten()
			for _, key := range []string{"TF_LOG_SDK", "TF_LOG_SDK_FRAMEWORK"} {
				if got := os.Getenv(key); got != c.want {
					t.Errorf("%s = %q, want %q", key, got, c.want)
				}
			}
		})
	}
}
