package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/databricks/databricks-sdk-go/config"
	"github.com/databricks/databricks-sdk-go/httpclient"
)

// Client is a workspace. It is safe for concurrent use.
type Client struct {
	config    *config.Config
	host      string
	warehouse string
	budget    time.Duration
	sleep     func(context.Context, time.Duration) error
	wire      *transport
	// none is the error for a configuration without credentials.
	none error

	mu  sync.Mutex
	api *httpclient.ApiClient
}

// New reads the configuration and makes no call: a workspace that cannot be reached shows at the first one. Without a
// host it is ErrNoHost, and says where a host was looked for.
func New(c Config) (*Client, error) {
	s, err := c.resolve()
	if err != nil {
		return nil, err
	}
	w := &Client{config: s, host: s.CanonicalHostName(), warehouse: s.WarehouseID, budget: c.RetryTimeout, sleep: c.Sleep,
		wire: newTransport(c.UserAgent), none: c.noCredentials(s)}
	if w.host != "" && !strings.HasPrefix(w.host, "https://") && !strings.HasPrefix(w.host, "http://") {
		return nil, &Error{Op: "read the Databricks configuration", Err: fmt.Errorf("host %q is not a URL", s.Host), Hint: "Write it as https://my-workspace.cloud.databricks.com."}
	}
	if w.budget == 0 {
		w.budget = defaultRetryTimeout
	}
	if w.sleep == nil {
		w.sleep = Sleep
	}
	return w, nil
}

// Host is the workspace's URL without a path; empty while only an Azure resource id names it.
func (c *Client) Host() string { return c.host }

// WarehouseID is the SQL warehouse that runs statements; empty when none is configured.
func (c *Client) WarehouseID() string { return c.warehouse }

// connect completes the SDK's configuration at the first call.
func (c *Client) connect(ctx context.Context) (*httpclient.ApiClient, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.api != nil {
		return c.api, nil
	}
	// The SDK would retry this for minutes against a host that is down, and complain on stderr.
	c.config.HostMetadataResolver = func(_ context.Context, host string) (*config.HostMetadata, error) {
		return c.metadata(ctx, host), nil
	}
	settings, err := config.HTTPClientConfigFromConfig(c.config)
	if err != nil {
		return nil, err
	}
	settings.Transport = c.wire
	settings.TransientErrors = nil
	settings.ErrorRetriable = func(context.Context, error) bool { return false }
	settings.AuthVisitor = func(r *http.Request) error {
		err := c.config.Authenticate(r)
		if errors.Is(err, config.ErrCannotConfigureDefault) {
			err = c.none
		}
		if err != nil {
			return &credentials{err}
		}
		if c.config.WorkspaceID != "" {
			r.Header.Set("X-Databricks-Org-Id", c.config.WorkspaceID)
		}
		return nil
	}
	c.api = httpclient.NewApiClient(settings)
	return c.api, nil
}

// credentials is a failure to find or get credentials.
type credentials struct{ err error }

func (c *credentials) Error() string        { return fmt.Sprintf("%v: %v", ErrUnauthenticated, c.err) }
func (c *credentials) Unwrap() error        { return c.err }
func (c *credentials) Is(target error) bool { return target == ErrUnauthenticated }

// metadata asks the host once what it is; nil when it does not say.
func (c *Client) metadata(ctx context.Context, host string) *config.HostMetadata {
	const patience = 10 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, host+"/.well-known/databricks-config", nil)
	if err != nil {
		return nil
	}
	response, err := c.wire.RoundTrip(r)
	if err != nil {
		return nil
	}
	defer response.Body.Close()
	var m config.HostMetadata
	if response.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&m) != nil {
		return nil
	}
	if m.OIDCEndpoint == "" {
		m.OIDCEndpoint = host + "/oidc"
	}
	return &m
}
