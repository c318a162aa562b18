package klieg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const jobText = `{"id":"1","modality":"image","model":"m","status":"succeeded",` +
	`"created_at":"","updated_at":"","user_id":"u","credits_held":0,"summary":""}`

// serve starts a service that gives each request to the next of the answers, the last one for good.
func serve(t *testing.T, answers ...http.HandlerFunc) (*Client, *[]*http.Request) {
	t.Helper()
	asked := &[]*http.Request{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r)
		at := len(*asked) - 1
		if at >= len(answers) {
			at = len(answers) - 1
		}
		answers[at](w, r)
	}))
	t.Cleanup(server.Close)
	return NewClient(server.URL, WithToken("pat_secret")), asked
}

func say(status int, text string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for at := 0; at < len(headers); at += 2 {
			w.Header().Set(headers[at], headers[at+1])
		}
		w.WriteHeader(status)
		fmt.Fprint(w, text)
	}
}

// breakOff closes the connection before the answer.
func breakOff(w http.ResponseWriter, _ *http.Request) {
	connection, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		connection.Close()
	}
}

func TestReadGoesThroughSilenceAnd503(t *testing.T) {
	client, asked := serve(t, say(503, "{}"), breakOff, say(200, jobText))
	job, err := client.Jobs.Get(context.Background(), "1")
	if err != nil || job.ID != "1" {
		t.Fatalf("%v, %v", job, err)
	}
	if len(*asked) != 3 {
		t.Errorf("%d requests", len(*asked))
	}
	if (*asked)[2].Header.Get("Authorization") != "Bearer pat_secret" {
		t.Error("the credential is missing")
	}
}

func TestSubmitWhoseAnswerWasLostFindsItsJob(t *testing.T) {
	duplicate := say(409, `{"title":"Duplicate","status":409,"job_id":"1"}`)
	client, asked := serve(t, breakOff, duplicate, say(200, jobText))
	request := GenerateImageRequest{Model: "m", Prompt: Ptr("a kite")}
	job, err := client.Generate.Image(context.Background(), request)
	if err != nil || job.ID != "1" {
		t.Fatalf("%v, %v", job, err)
	}
	first, second := (*asked)[0], (*asked)[1]
	key := first.Header.Get("Idempotency-Key")
	if key == "" || second.Header.Get("Idempotency-Key") != key {
		t.Error("the key is not the same")
	}
	if (*asked)[2].URL.Path != "/v1/jobs/1" {
		t.Errorf("asked %s", (*asked)[2].URL.Path)
	}
}

func TestDuplicateThatNoLostAnswerExplainsIsAnError(t *testing.T) {
	client, _ := serve(t, say(409, `{"title":"Duplicate","status":409,"job_id":"1"}`))
	_, err := client.Generate.Image(context.Background(), GenerateImageRequest{Model: "m"})
	var refused *Error
	if !errors.As(err, &refused) || refused.Status != 409 || refused.JobID() != "1" {
		t.Fatalf("%v", err)
	}
}

func TestQuotaIsNotAskedAgain(t *testing.T) {
	text := `{"title":"Quota","status":429,"code":"rate_limit","detail":"Your plan accepts 5 a day."}`
	client, asked := serve(t, say(429, text, "Retry-After-Reset", "2026-04-16T00:00:00Z"))
	_, err := client.Jobs.Get(context.Background(), "1")
	var refused *Error
	if !errors.As(err, &refused) || refused.Code != "rate_limit" || len(*asked) != 1 {
		t.Fatalf("%v after %d requests", err, len(*asked))
	}
	if refused.Error() != "Your plan accepts 5 a day." {
		t.Error(refused.Error())
	}
}

func TestRetryAfterThatIsADateCountsFromTheAnswer(t *testing.T) {
	header := http.Header{}
	header.Set("Date", "Wed, 15 Apr 2026 12:00:00 GMT")
	header.Set("Retry-After", "Wed, 15 Apr 2026 12:00:30 GMT")
	if delay := readRetryAfter(header); delay != 30*time.Second {
		t.Error(delay)
	}
}

func TestPageOfAProxyIsAnErrorWithItsStatus(t *testing.T) {
	client, _ := serve(t, say(404, "<html>no such page</html>"))
	_, err := client.Jobs.Get(context.Background(), "1")
	if err == nil || err.Error() != "The service answered 404." {
		t.Fatalf("%v", err)
	}
}

func TestContextEndsACall(t *testing.T) {
	client, _ := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, err := client.Jobs.Get(ctx, "1"); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v", err)
	}
}

func TestNothingThatListensIsNotAskedAgain(t *testing.T) {
	client := NewClient("http://127.0.0.1:1", WithToken("pat_secret"))
	_, err := client.Jobs.Get(context.Background(), "1")
	var refused *Error
	if !errors.As(err, &refused) || refused.Code != "unreachable" {
		t.Fatalf("%v", err)
	}
	if strings.Contains(fmt.Sprintf("%v %+v", err, refused), "pat_secret") {
		t.Error("the error shows the credential")
	}
}

func TestStreamThatBreaksOffGoesOnWithANewTicket(t *testing.T) {
	ticket := say(201, `{"ticket":"t","expires_at":""}`)
	begun := say(200, "retry: 5000\n\n: still here\n\nevent: status\ndata: {\"status\":\"running\"}\n\n")
	ended := say(200, "event: complete\r\ndata: {\"status\":\r\ndata: \"succeeded\"}\r\n\r\n")
	running := say(200, strings.Replace(jobText, "succeeded", "running", 1))
	client, asked := serve(t, ticket, begun, running, ticket, ended)
	stream := client.Jobs.Stream(context.Background(), "1")
	var names []string
	for stream.Next() {
		names = append(names, stream.Event().Name)
	}
	if stream.Err() != nil || strings.Join(names, " ") != "status status complete" {
		t.Fatalf("%v, %v", names, stream.Err())
	}
	if (*asked)[1].Header.Get("Authorization") != "" {
		t.Error("a stream by ticket carries the credential")
	}
}

func TestFrameThatIsTooLongEndsAStream(t *testing.T) {
	long := "data: " + strings.Repeat("x", frameBytesMax+1) + "\n\n"
	read := newFrames(io.NopCloser(strings.NewReader(long)))
	if _, err := read.next(); err == nil {
		t.Error("it was read")
	}
}

func TestFailedJobIsAnErrorWithItsCode(t *testing.T) {
	text := strings.Replace(jobText, `"status":"succeeded"`, `"status":"failed","failure":`+
		`{"kind":"error","code":"prompt_nsfw","message":"Refused.","credits_refunded":true}`, 1)
	client, _ := serve(t, say(200, text))
	_, err := client.Jobs.Wait(context.Background(), "1")
	var refused *Error
	if !errors.As(err, &refused) || refused.Code != "prompt_nsfw" || refused.Job.ID != "1" {
		t.Fatalf("%v", err)
	}
}

func TestUploadGoesOnWhereItWas(t *testing.T) {
	upload := `{"id":"u","asset_id":"a","status":"pending","method":"multipart","expires_at":"",` +
		`"part_size":4,"part_count":3,"uploaded_parts":[{"part_number":1,"etag":"e","size_bytes":4}]}`
	var sent []string
	put := func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent = append(sent, string(body))
	}
	var client *Client
	parts := func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"parts":[{"part_number":1,"url":%q}]}`, client.Jobs.caller.url+"/put")
	}
	asset := say(200, `{"id":"a","status":"ready"}`)
	client, _ = serve(t, say(200, upload), parts, put, parts, put, say(200, upload), asset)
	file := BytesFile("kite.bin", []byte("aaaabbbbcc"))
	made, err := client.Assets.Upload(context.Background(), file, UploadOptions{Resume: "u"})
	if err != nil || made.ID != "a" || strings.Join(sent, "|") != "bbbb|cc" {
		t.Fatalf("%v, %v, %v", made, sent, err)
	}
}
