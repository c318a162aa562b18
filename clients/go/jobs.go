package klieg

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"time"
)

// waitWindow bounds one request that waits.
const waitWindow = time.Minute

// Jobs has the operations on jobs, and what takes more than one.
type Jobs struct{ JobsService }

// Wait returns the job once it has succeeded. A job that failed is an *Error with its failure's
// code, a canceled one has the code "canceled"; the job is in the error. It waits as long as the
// context lets it.
func (j *Jobs) Wait(ctx context.Context, id string) (*Job, error) {
	for {
		job, err := j.AwaitEnd(ctx, id, waitWindow)
		if err != nil {
			return nil, err
		}
		if job == nil {
			continue
		}
		if job.Status == "succeeded" {
			return job, nil
		}
		return nil, jobError(job)
	}
}

// AwaitEnd returns the job once it has ended, however; nil when the window (1 s to 15 min) closes
// first.
func (j *Jobs) AwaitEnd(ctx context.Context, id string, window time.Duration) (*Job, error) {
	seconds := strconv.Itoa(int(window / time.Second))
	waiting := call{
		method:       "GET",
		path:         "/jobs/" + segment(id) + "/wait",
		query:        url.Values{"timeout_seconds": {seconds}},
		isRepeatable: true,
		held:         window,
	}
	job := new(Job)
	err := j.caller.sendJSON(ctx, waiting, job, nil)
	var fault *Error
	if errors.As(err, &fault) && fault.Status == 408 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return job, nil
}

// Stream follows a job, from how it is now to its end.
func (j *Jobs) Stream(ctx context.Context, id string) *Stream {
	look := func(ctx context.Context, hasStream bool) (Event, error) {
		var job *Job
		var err error
		if !hasStream {
			job, err = j.AwaitEnd(ctx, id, waitWindow)
		}
		if job == nil && err == nil {
			job, err = j.Get(ctx, id)
		}
		if err != nil {
			return Event{}, err
		}
		return jobEvent(job)
	}
	path := "/jobs/" + segment(id)
	return &Stream{ctx: ctx, caller: j.caller, path: path, ticket: "sse-ticket", stream: "sse", look: look}
}

// jobEvent says what a stream would say of a job that was read.
func jobEvent(job *Job) (Event, error) {
	data := map[string]any{"status": job.Status}
	switch {
	case job.Failure != nil:
		data["error"], data["failure_kind"] = job.Failure.Message, job.Failure.Kind
		if job.Failure.Code != nil {
			data["failure_code"] = *job.Failure.Code
		}
	case job.Cancellation != nil:
		data["error"] = job.Cancellation.Message
	case job.Progress != nil:
		data["progress"] = *job.Progress
	}
	return makeEvent(isRunning(job.Status), "status", data)
}

func isRunning(status string) bool { return status == "queued" || status == "running" }
