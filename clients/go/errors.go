package klieg

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Error is a refused request, a job that ended without a result, or a service that does not answer.
// Branch on Code, and where there is none on Status; the sentences are for people.
type Error struct {
	// Message is a sentence for people.
	Message string
	// Status of the answer, or what a failed job says of its own; 0 where there is none.
	Status int
	// Code is "unreachable" when nothing answered or the answer broke off, otherwise the service's;
	// empty where there is none.
	Code string
	// Problem is all that the service said.
	Problem Problem
	// RetryAfter is how long the service asks to wait; 0 when it did not say.
	RetryAfter time.Duration
	// RetryAfterReset is when a quota begins anew, as RFC 3339; empty when the service did not say.
	RetryAfterReset string
	// Job that failed or was canceled, as a wait found it.
	Job *Job

	cause error
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns what broke the connection, if that is what happened.
func (e *Error) Unwrap() error { return e.cause }

// JobID names the job that the error is about: for a duplicate, the earlier one.
func (e *Error) JobID() string {
	if e.Job != nil {
		return e.Job.ID
	}
	return valueOf(e.Problem.JobID)
}

// RequestID identifies the request, for support.
func (e *Error) RequestID() string { return valueOf(e.Problem.RequestID) }

// refusal reads an answer other than 2xx. A page of a proxy is no problem object: only its status
// is kept.
func refusal(status int, header http.Header, body []byte) *Error {
	refused := &Error{Status: status, RetryAfter: readRetryAfter(header)}
	refused.RetryAfterReset = header.Get("Retry-After-Reset")
	if json.Unmarshal(body, &refused.Problem) != nil {
		refused.Problem = Problem{}
	}
	refused.Code = valueOf(refused.Problem.Code)
	refused.Message = valueOf(refused.Problem.Detail)
	if refused.Message == "" {
		refused.Message = refused.Problem.Title
	}
	if refused.Message == "" {
		refused.Message = fmt.Sprintf("The service answered %d.", status)
	}
	return refused
}

// readRetryAfter counts a date from the answer's own, so that the clock of this machine is not asked.
func readRetryAfter(header http.Header) time.Duration {
	text := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil && seconds >= 0 {
		return time.Duration(seconds) * time.Second
	}
	until, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(header.Get("Date"))
	if err != nil || until.Before(now) {
		return 0
	}
	return until.Sub(now)
}

func unreachable(url string, cause error) *Error {
	return &Error{Message: url + " is not reachable.", Code: "unreachable", cause: cause}
}

// knownCodes are what a generation fails with; anything else that a job says is job_failed.
var knownCodes = map[string]bool{
	"out_of_credits": true, "rate_limit": true, "prompt_nsfw": true, "ip_detected": true,
	"job_failed": true, "timeout": true, "validation": true, "confirmation_rejected": true,
	"canceled": true, "job_not_cancellable": true, "approval_required": true, "run_ended": true,
}

// jobError describes a job that ended without a result.
func jobError(job *Job) *Error {
	if job.Status == "canceled" {
		message := "The job was canceled."
		if job.Cancellation != nil {
			message = job.Cancellation.Message
		}
		return &Error{Message: message, Code: "canceled", Job: job}
	}
	failed := &Error{Message: "The job failed.", Status: 502, Code: "job_failed", Job: job}
	if job.Error != nil {
		failed.Problem = *job.Error
		failed.Status = int(job.Error.Status)
	}
	if job.Failure != nil {
		failed.Message = job.Failure.Message
		if code := valueOf(job.Failure.Code); knownCodes[code] {
			failed.Code = code
		}
	}
	return failed
}

func valueOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
