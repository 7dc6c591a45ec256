package local

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// tokenStore holds OAuth tokens with the real time at which they end, and the tokens of further users.
type tokenStore struct {
	mu    sync.Mutex
	oauth map[string]time.Time
	users map[string]string
}

// AddUser lets a second user in under a token of its own.
func (w *Workspace) AddUser(token, name string) {
	w.tokens.mu.Lock()
	defer w.tokens.mu.Unlock()
	if w.tokens.users == nil {
		w.tokens.users = map[string]string{}
	}
	w.tokens.users[token] = name
}

// openRoute tells which routes answer without a token.
func openRoute(route string) bool {
	return strings.HasPrefix(route, "/.well-known/") || strings.HasPrefix(route, "/oidc/")
}

// authenticate returns the user behind a request, or the error Databricks answers with.
func (w *Workspace) authenticate(r *http.Request) (string, error) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if token == "" || !strings.EqualFold(scheme, "Bearer") {
		return "", &apiError{http.StatusUnauthorized, 401, "Credential was not sent or was of an unsupported type for this API."}
	}
	if subtle.ConstantTimeCompare([]byte(token), []byte(w.token)) == 1 {
		return ownerName, nil
	}
	b := w.Behaviour()
	w.tokens.mu.Lock()
	defer w.tokens.mu.Unlock()
	if name, ok := w.tokens.users[token]; ok {
		return name, nil
	}
	ends, ok := w.tokens.oauth[token]
	switch {
	case ok && time.Until(ends) > b.TokenMargin:
		return ownerName, nil
	case ok && b.ExpiredStatus == http.StatusUnauthorized:
		return "", &apiError{http.StatusUnauthorized, 401, "Token has expired."}
	case ok:
		return "", &apiError{http.StatusForbidden, "403", "Invalid access token: it has expired."}
	}
	return "", &apiError{http.StatusForbidden, "403", "Invalid access token."}
}

// issueToken is the M2M token endpoint: any client id, with the workspace's token as the secret.
func (w *Workspace) issueToken(_ context.Context, c *call) (any, error) {
	form, err := url.ParseQuery(string(c.body))
	if err != nil {
		return nil, malformed("The form cannot be read: %v", err)
	}
	id, secret, ok := c.BasicAuth()
	if !ok {
		id, secret = form.Get("client_id"), form.Get("client_secret")
	}
	if form.Get("grant_type") != "client_credentials" {
		return nil, &apiError{http.StatusBadRequest, "unsupported_grant_type", fmt.Sprintf("grant_type %q is not offered here: client_credentials is", form.Get("grant_type"))}
	}
	if id == "" || subtle.ConstantTimeCompare([]byte(secret), []byte(w.token)) != 1 {
		return nil, &apiError{http.StatusUnauthorized, "invalid_client", "Client authentication failed"}
	}
	life := w.Behaviour().TokenLife
	if life <= 0 {
		life = time.Hour
	}
	b := make([]byte, 20)
	if _, err := rand.Read(b); err != nil {
		return nil, err
	}
	token := "oauth-" + hex.EncodeToString(b)
	w.tokens.mu.Lock()
	defer w.tokens.mu.Unlock()
	if w.tokens.oauth == nil {
		w.tokens.oauth = map[string]time.Time{}
	}
	for t, ends := range w.tokens.oauth {
		if time.Since(ends) > time.Hour {
			delete(w.tokens.oauth, t)
		}
	}
	w.tokens.oauth[token] = time.Now().Add(life)
	return map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": int(life / time.Second), "scope": "all-apis"}, nil
}

func (w *Workspace) hostMetadata(context.Context, *call) (any, error) {
	return map[string]any{"oidc_endpoint": w.Host() + "/oidc", "workspace_id": workspaceID, "host_type": "workspace", "cloud": "AWS"}, nil
}

func (w *Workspace) oidcEndpoints(context.Context, *call) (any, error) {
	return map[string]any{"issuer": w.Host() + "/oidc", "authorization_endpoint": w.Host() + "/oidc/v1/authorize",
		"token_endpoint": w.Host() + "/oidc/v1/token", "grant_types_supported": []string{"client_credentials"}}, nil
}

func (w *Workspace) me(_ context.Context, c *call) (any, error) {
	return map[string]any{"schemas": []string{"urn:ietf:params:scim:schemas:core:2.0:User"}, "id": "1", "userName": c.user,
		"displayName": c.user, "active": true, "emails": []any{map[string]any{"type": "work", "value": c.user, "primary": true}}}, nil
}
