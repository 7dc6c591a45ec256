package workspace

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/databricks/databricks-sdk-go/config"
)

// Config names a workspace and how to reach it. Every empty field is filled by the SDK's own chain: its environment
// variable, then the profile in the configuration file, then the SDK's default. With Profile set the environment is
// passed over.
type Config struct {
	Host, Token, Profile, ConfigFile, AuthType string
	AccountID, WorkspaceID                     string
	ClientID, ClientSecret                     string
	// Scopes are asked for of OAuth; none: all-apis.
	Scopes             []string
	Username, Password string

	AzureResourceID, AzureClientID, AzureClientSecret, AzureTenantID, AzureEnvironment string
	AzureUseMSI                                                                        bool

	GoogleCredentials, GoogleServiceAccount string

	OIDCTokenEnv, OIDCTokenFilepath, TokenAudience string

	MetadataServiceURL, DatabricksCLIPath string

	// WarehouseID runs the statements. It is needed only for them.
	WarehouseID string

	// RateLimit is in requests per second; 0: 100.
	RateLimit int
	// HTTPTimeout ends a request in which nothing moves; 0: 60 s. RetryTimeout bounds the retries of one call, the waits
	// between them included; 0: 5 min.
	HTTPTimeout, RetryTimeout time.Duration

	// UserAgent goes in front of the SDK's, as "watertight/1.0".
	UserAgent string

	// Sleep waits before a retry and between polls; it returns early with ctx's error. Nil: real time.
	Sleep func(ctx context.Context, d time.Duration) error
}

const (
	defaultRetryTimeout = 5 * time.Minute
	// The SDK's own default, 15 a second, makes a plan of 200 jobs wait 13 s. Databricks allows more of most routes; where
	// it does not, it answers 429 and the call is repeated.
	defaultRateLimit = 100
)

// fromEnvironment runs before any request; the SDK would ask the host for its metadata as well.
type resolved struct{}

func (resolved) Name() string                   { return "resolved" }
func (resolved) Configure(*config.Config) error { return nil }

// resolve fills the SDK's configuration without any call.
func (c Config) resolve() (*config.Config, error) {
	s := &config.Config{
		Host: c.Host, Token: c.Token, Profile: c.Profile, ConfigFile: c.ConfigFile, AuthType: c.AuthType,
		AccountID: c.AccountID, WorkspaceID: c.WorkspaceID, ClientID: c.ClientID, ClientSecret: c.ClientSecret,
		Username: c.Username, Password: c.Password,
		AzureResourceID: c.AzureResourceID, AzureClientID: c.AzureClientID, AzureClientSecret: c.AzureClientSecret,
		AzureTenantID: c.AzureTenantID, AzureEnvironment: c.AzureEnvironment, AzureUseMSI: c.AzureUseMSI,
		Scopes:            slices.Clone(c.Scopes),
		GoogleCredentials: c.GoogleCredentials, GoogleServiceAccount: c.GoogleServiceAccount,
		OIDCTokenEnv: c.OIDCTokenEnv, OIDCTokenFilepath: c.OIDCTokenFilepath, TokenAudience: c.TokenAudience,
		MetadataServiceURL: c.MetadataServiceURL, DatabricksCliPath: c.DatabricksCLIPath,
		WarehouseID: c.WarehouseID, RateLimitPerSecond: c.RateLimit,
		HTTPTimeoutSeconds: seconds(c.HTTPTimeout),
	}
	for _, load := range c.sources() {
		if err := load(s); err != nil {
			return nil, &Error{Op: "read the Databricks configuration", Err: err, Hint: "Correct the profile, or name another one with profile or DATABRICKS_CONFIG_PROFILE."}
		}
	}
	s.Loaders = []config.Loader{resolved{}}
	s.RateLimitPerSecond = cmp.Or(s.RateLimitPerSecond, defaultRateLimit)
	if s.Host == "" && s.AzureResourceID == "" {
		return nil, c.noHost(s)
	}
	if err := config.ConfigAttributes.Validate(s); err != nil {
		return nil, &Error{Op: "read the Databricks configuration", Err: err,
			Hint: "Keep one way to authenticate, or choose it with auth_type or DATABRICKS_AUTH_TYPE."}
	}
	return s, nil
}

// sources fills what is empty: from the environment, then from the profile. A profile that is named as an argument is
// meant: the environment's host or token must not take its place, so only the file's own path and the warehouse come
// from there.
func (c Config) sources() []func(*config.Config) error {
	if c.Profile == "" {
		return []func(*config.Config) error{config.ConfigAttributes.Configure, config.ConfigFile.Configure}
	}
	file := func(s *config.Config) error {
		environment := &config.Config{}
		if err := config.ConfigAttributes.Configure(environment); err != nil {
			return err
		}
		s.ConfigFile = cmp.Or(s.ConfigFile, environment.ConfigFile)
		if err := config.ConfigFile.Configure(s); err != nil {
			return err
		}
		s.WarehouseID = cmp.Or(s.WarehouseID, environment.WarehouseID)
		return nil
	}
	return []func(*config.Config) error{file}
}

// noHost says where a host was looked for, as the SDK's loaders did it.
func (c Config) noHost(s *config.Config) error {
	given := ""
	if s.Token+s.ClientID+s.Username+s.AzureClientID+s.GoogleCredentials != "" {
		given = "credentials are given"
	}
	return &Error{Op: "find the workspace", Err: fmt.Errorf("%w: looked for it in the host argument (not set), DATABRICKS_HOST (%s) and %s; no request was made", ErrNoHost, c.variables(), c.profile(s, "host", given)),
		Hint: "Set host, or DATABRICKS_HOST, to the workspace's URL, or name a profile with DATABRICKS_CONFIG_PROFILE. For a workspace on this machine: watertight local serve."}
}

// noCredentials says where credentials were looked for, when the SDK has found none that it could use.
func (c Config) noCredentials(s *config.Config) error {
	given := ""
	if c.Host != "" || os.Getenv("DATABRICKS_HOST") != "" {
		given = "a host is given"
	}
	return fmt.Errorf("no credentials: looked for token, and client_id with client_secret, in the arguments (not set), DATABRICKS_TOKEN, and DATABRICKS_CLIENT_ID with DATABRICKS_CLIENT_SECRET (%s), %s, and the logins of the Databricks, Azure and Google command lines (none that serves)",
		c.variables(), c.profile(s, "credentials", given))
}

// variables says what became of the environment's variables.
func (c Config) variables() string {
	if c.Profile != "" {
		return "not read, since a profile is named"
	}
	return "not set"
}

// profile says what became of the configuration file, which the SDK passes over when anything is given and no profile is
// named.
func (c Config) profile(s *config.Config, what, given string) string {
	file, profile := cmp.Or(s.ConfigFile, "~/.databrickscfg"), cmp.Or(s.Profile, "DEFAULT")
	path := file
	if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(path, "~") {
		path = filepath.Join(home, strings.TrimPrefix(path, "~"))
	}
	switch _, err := os.Stat(path); {
	case s.Profile == "" && given != "":
		return fmt.Sprintf("%s (not read: %s and no profile is named)", file, given)
	case err != nil:
		return fmt.Sprintf("%s (no such file)", file)
	}
	return fmt.Sprintf("profile %s in %s (has no %s)", profile, file, what)
}

func seconds(d time.Duration) int {
	return int((d + time.Second - 1) / time.Second)
}

// Sleep waits in real time; it returns early with the error of a context that ends.
func Sleep(ctx context.Context, d time.Duration) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
