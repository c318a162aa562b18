// Package klieg is the client of a Klieg service, by the standard library alone.
package klieg

import (
	"context"
	"net/http"
	"strings"
)

// Client is a Klieg service, by resource. It is safe for use by several goroutines. Whatever goes
// wrong is an *Error, or the error of the context.
type Client struct {
	AccountService
	Generate      *GenerateService
	Jobs          *Jobs
	Sets          *Sets
	Assets        *Assets
	Uploads       *UploadsService
	Compositions  *CompositionsService
	Renders       *Renders
	Shares        *SharesService
	Models        *ModelsService
	Credits       *CreditsService
	Tokens        *TokensService
	Organizations *OrganizationsService
	Agents        *Agents
	OAuth         *OauthService
	Admin         *AdminService
}

// ClientOption changes a client.
type ClientOption func(*caller)

// WithToken sets the credential of every call.
func WithToken(token string) ClientOption {
	return WithTokenFunc(func(context.Context) (string, error) { return token, nil })
}

// WithTokenFunc sets what finds the credential before each call.
func WithTokenFunc(find func(context.Context) (string, error)) ClientOption {
	return func(c *caller) { c.token = find }
}

// WithSurface names the program that asks; it is recorded on the jobs.
func WithSurface(surface string) ClientOption {
	return func(c *caller) { c.surface = surface }
}

// WithHTTPClient sets the HTTP client that sends the requests.
func WithHTTPClient(client *http.Client) ClientOption {
	return func(c *caller) { c.http = client }
}

// WithoutLimitRetries returns a refusal with 429 at once, which is otherwise tried again for some
// seconds.
func WithoutLimitRetries() ClientOption {
	return func(c *caller) { c.retriesLimits = false }
}

// NewClient returns the client of the service at the URL, such as http://127.0.0.1:8080.
func NewClient(url string, options ...ClientOption) *Client {
	c := &caller{
		url:           strings.TrimSuffix(strings.TrimRight(url, "/"), "/v1"),
		token:         func(context.Context) (string, error) { return "", nil },
		surface:       "sdk",
		retriesLimits: true,
		http:          http.DefaultClient,
	}
	for _, option := range options {
		option(c)
	}
	uploads := &UploadsService{c}
	return &Client{
		AccountService: AccountService{c},
		Generate:       &GenerateService{c},
		Jobs:           &Jobs{JobsService{c}},
		Sets:           &Sets{SetsService{c}},
		Assets:         &Assets{AssetsService{c}, uploads},
		Uploads:        uploads,
		Compositions:   &CompositionsService{c},
		Renders:        &Renders{RendersService{c}},
		Shares:         &SharesService{c},
		Models:         &ModelsService{c},
		Credits:        &CreditsService{c},
		Tokens:         &TokensService{c},
		Organizations:  &OrganizationsService{c},
		Agents:         &Agents{AgentsService{c}},
		OAuth:          &OauthService{c},
		Admin:          &AdminService{c},
	}
}

// Ptr returns a pointer to a value, for the optional members of requests.
func Ptr[T any](value T) *T { return &value }
