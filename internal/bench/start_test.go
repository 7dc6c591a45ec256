//go:build cgo

package bench

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

// served is a plugin client that keeps the connection.
type served struct{ plugin.NetRPCUnsupportedPlugin }

func (served) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error {
	return errors.New("this side asks")
}

func (served) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, c *grpc.ClientConn) (any, error) {
	return c, nil
}

// bytesCodec leaves messages as they are on the wire.
type bytesCodec struct{}

func (bytesCodec) Name() string { return "proto" }

func (bytesCodec) Marshal(v any) ([]byte, error) { return *v.(*[]byte), nil }

func (bytesCodec) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = append([]byte(nil), data...)
	return nil
}

// BenchmarkStart starts the release build of the provider as Terraform does, asks for its schema and ends it. Bounds:
// 0.1 s of processor time, and 45 MB on disk.
func BenchmarkStart(b *testing.B) {
	in := install(b)
	info, err := os.Stat(in.provider)
	if err != nil {
		b.Fatal(err)
	}
	cpu := 0.0
	for b.Loop() {
		cpu += start(b, in.provider)
	}
	b.ReportMetric(cpu/float64(b.N), "cpu-s/op")
	b.ReportMetric(float64(info.Size())/1e6, "MB")
}

// start returns the processor time in seconds of one start.
func start(b *testing.B, path string) float64 {
	b.Helper()
	command := exec.Command(path)
	client := plugin.NewClient(&plugin.ClientConfig{
		// The cookie is Terraform's own, as terraform-plugin-go checks it.
		HandshakeConfig:  plugin.HandshakeConfig{MagicCookieKey: "TF_PLUGIN_MAGIC_COOKIE", MagicCookieValue: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2"},
		VersionedPlugins: map[int]plugin.PluginSet{6: {"provider": served{}}},
		Cmd:              command, AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		Logger: hclog.New(&hclog.LoggerOptions{Output: io.Discard}),
	})
	defer client.Kill()
	c, err := client.Client()
	if err != nil {
		b.Fatal(err)
	}
	raw, err := c.Dispense("provider")
	if err != nil {
		b.Fatal(err)
	}
	conn, ok := raw.(*grpc.ClientConn)
	if !ok {
		b.Fatalf("the plugin client gave %T", raw)
	}
	var question, answer []byte
	const largest = 256 << 20
	if err := conn.Invoke(b.Context(), "/tfplugin6.Provider/GetProviderSchema", &question, &answer, grpc.ForceCodec(bytesCodec{}), grpc.MaxCallRecvMsgSize(largest)); err != nil {
		b.Fatal(err)
	}
	if len(answer) < 1000 {
		b.Fatalf("a schema of %d bytes", len(answer))
	}
	client.Kill()
	return (command.ProcessState.UserTime() + command.ProcessState.SystemTime()).Seconds()
}
