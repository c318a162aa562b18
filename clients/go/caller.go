package klieg

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

const (
	// An answer that takes longer than this is silence.
	answerTime = 30 * time.Second
	// More for a call that carries a file, and for one whose answer is made meanwhile.
	uploadTime = 10 * time.Minute
	makingTime = 30 * time.Second
	// An answer in JSON above this is none of the service's.
	answerBytesMax = 64 << 20
	// As much of a refusal is read.
	refusalBytesMax = 1 << 20
)

// call is one operation with its values.
type call struct {
	method string
	// Path behind the version prefix.
	path  string
	query url.Values
	// Sent as JSON.
	body any
	// Sent as it is, with mediaType.
	bytes     []byte
	mediaType string
	// Whether a second arrival does no harm.
	isRepeatable bool
	// Whether the call carries an Idempotency-Key; a duplicate's earlier result is read at earlier.
	isSubmit bool
	earlier  string
	// Time that the service takes on purpose, on top of an answer's usual bound.
	held time.Duration
}

// CallOption changes one call.
type CallOption func(*callOptions)

type callOptions struct{ key, match string }

// WithIdempotencyKey names a submit, so that it is accepted once however often it is sent. Without
// it the client makes up a key for each call.
func WithIdempotencyKey(key string) CallOption {
	return func(options *callOptions) { options.key = key }
}

// WithIfMatch names the version (ETag) that a change is meant for.
func WithIfMatch(etag string) CallOption {
	return func(options *callOptions) { options.match = etag }
}

// caller sends calls and repeats them. A submit whose answer was lost is answered 409 when it is
// sent again; the 409 names what the lost answer was about, and that is returned: one call, at most
// one charge. A 409 that no lost answer explains is returned as an error.
type caller struct {
	url           string
	token         func(context.Context) (string, error)
	surface       string
	retriesLimits bool
	http          *http.Client
	isAnswered    atomic.Bool
}

func (c *caller) sendJSON(ctx context.Context, sent call, answer any, options []CallOption) error {
	body, err := c.attempt(ctx, sent, readOptions(options))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, answer); err != nil {
		return unreachable(c.url, fmt.Errorf("the answer is not valid JSON: %w", err))
	}
	return nil
}

func (c *caller) send(ctx context.Context, sent call, options []CallOption) error {
	_, err := c.attempt(ctx, sent, readOptions(options))
	return err
}

// open returns the body of a 2xx answer unread; close it.
func (c *caller) open(ctx context.Context, sent call, options []CallOption) (io.ReadCloser, error) {
	sent.held = makingTime
	chosen := readOptions(options)
	var opened io.ReadCloser
	err := c.repeat(ctx, sent, func() error {
		response, err := c.ask(ctx, sent, chosen)
		if err == nil {
			opened = response.Body
		}
		return err
	})
	return opened, err
}

func readOptions(options []CallOption) callOptions {
	var chosen callOptions
	for _, option := range options {
		option(&chosen)
	}
	return chosen
}

func (c *caller) attempt(ctx context.Context, sent call, chosen callOptions) ([]byte, error) {
	if sent.isSubmit && chosen.key == "" {
		key, err := newKey()
		if err != nil {
			return nil, err
		}
		chosen.key = key
	}
	var body []byte
	isLost := false
	err := c.repeat(ctx, sent, func() error {
		response, err := c.ask(ctx, sent, chosen)
		if err == nil {
			body, err = readAll(response.Body, answerBytesMax)
			if err != nil {
				err = c.describe(ctx, err)
			}
		}
		var fault *Error
		if !errors.As(err, &fault) {
			return err
		}
		if path := earlierPath(sent, fault); isLost && path != "" {
			found := call{method: "GET", path: path, isRepeatable: true}
			body, err = c.attempt(ctx, found, callOptions{})
			return err
		}
		isLost = isLost || fault.Status != 429
		return err
	})
	return body, err
}

// repeat tries until the try succeeds, or its fault is not one that passes.
func (c *caller) repeat(ctx context.Context, sent call, try func() error) error {
	for tried := 1; ; tried++ {
		err := try()
		var fault *Error
		if err == nil || !errors.As(err, &fault) {
			return err
		}
		delay, isWorthwhile := c.delayAfter(fault, sent, tried)
		if !isWorthwhile {
			return err
		}
		if err := pause(ctx, delay); err != nil {
			return err
		}
	}
}

// earlierPath says where the result of a lost answer is read, when the fault says that there is one.
func earlierPath(sent call, fault *Error) string {
	if fault.Status != 409 {
		return ""
	}
	id := map[string]*string{
		"jobs":    fault.Problem.JobID,
		"renders": fault.Problem.RenderID,
		"sets":    fault.Problem.SetID,
	}[sent.earlier]
	if id == nil {
		return ""
	}
	return "/" + sent.earlier + "/" + segment(*id)
}

// ask sends a call once. The answer is 2xx and its body is unread.
func (c *caller) ask(ctx context.Context, sent call, chosen callOptions) (*http.Response, error) {
	header := http.Header{"X-Service-Surface": {c.surface}}
	token, err := c.token(ctx)
	if err != nil {
		return nil, err
	}
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	if chosen.key != "" {
		header.Set("Idempotency-Key", chosen.key)
	}
	if chosen.match != "" {
		header.Set("If-Match", chosen.match)
	}
	body, held := sent.bytes, sent.held
	if body != nil {
		header.Set("Content-Type", sent.mediaType)
		held = uploadTime
	}
	if sent.body != nil {
		if body, err = json.Marshal(sent.body); err != nil {
			return nil, err
		}
		header.Set("Content-Type", "application/json")
	}
	target := c.url + "/v1" + sent.path
	if len(sent.query) > 0 {
		target += "?" + sent.query.Encode()
	}
	return c.fetch(ctx, fetched{sent.method, target, header, bytes.NewReader(body), int64(len(body)), answerTime + held})
}

// fetched is a request to any address.
type fetched struct {
	method  string
	url     string
	header  http.Header
	body    io.Reader
	length  int64
	patient time.Duration
}

// fetch sends a request once. The time is that until the answer's head, and then that without a
// byte of its body. A signed address takes no credential.
func (c *caller) fetch(ctx context.Context, asked fetched) (*http.Response, error) {
	if asked.length == 0 {
		asked.body = nil
	}
	own, cancel := context.WithCancel(ctx)
	idle := time.AfterFunc(asked.patient, cancel)
	request, err := http.NewRequestWithContext(own, asked.method, asked.url, asked.body)
	if err != nil {
		cancel()
		return nil, err
	}
	request.ContentLength = asked.length
	if asked.header != nil {
		request.Header = asked.header
	}
	response, err := c.http.Do(request)
	if err != nil {
		idle.Stop()
		cancel()
		return nil, c.describe(ctx, err)
	}
	response.Body = &watchedBody{response.Body, idle, asked.patient, cancel}
	if response.StatusCode >= 200 && response.StatusCode < 300 {
		c.isAnswered.Store(true)
		return response, nil
	}
	said, err := readAll(response.Body, refusalBytesMax)
	if err != nil {
		return nil, c.describe(ctx, err)
	}
	return nil, refusal(response.StatusCode, response.Header, said)
}

// describe leaves the error of a caller's own context, and makes an Error of all others.
func (c *caller) describe(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return unreachable(c.url, err)
}

// watchedBody ends a request whose body has stopped arriving.
type watchedBody struct {
	io.ReadCloser
	idle    *time.Timer
	patient time.Duration
	cancel  context.CancelFunc
}

func (b *watchedBody) Read(into []byte) (int, error) {
	b.idle.Reset(b.patient)
	return b.ReadCloser.Read(into)
}

func (b *watchedBody) Close() error {
	b.idle.Stop()
	defer b.cancel()
	return b.ReadCloser.Close()
}

// readAll reads a body and closes it; a longer one is an error.
func readAll(body io.ReadCloser, most int64) ([]byte, error) {
	defer body.Close()
	text, err := io.ReadAll(io.LimitReader(body, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("the answer has more than %d bytes", most)
	}
	return text, err
}

func newKey() (string, error) {
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return "", err
	}
	return hex.EncodeToString(random), nil
}

// segment escapes a value as one segment of a path.
func segment(text string) string {
	return strings.ReplaceAll(url.PathEscape(text), "+", "%2B")
}

// queryOf takes the members of a value as parameters; what is absent is left out.
func queryOf(value any) url.Values {
	text, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var members map[string]any
	if decoder.Decode(&members) != nil {
		return nil
	}
	query := url.Values{}
	for name, member := range members {
		if member != nil {
			query.Set(name, fmt.Sprint(member))
		}
	}
	return query
}
