package klieg

import "context"

// Renders has the operations on renders, and what takes more than one.
type Renders struct{ RendersService }

// Wait returns the render once it has succeeded; a failed one is an *Error with job_failed.
func (r *Renders) Wait(ctx context.Context, id string) (*Render, error) {
	stream := r.Stream(ctx, id)
	for stream.Next() {
	}
	if err := stream.Err(); err != nil {
		return nil, err
	}
	render, err := r.Get(ctx, id)
	if err != nil || render.Status == "succeeded" {
		return render, err
	}
	message := valueOf(render.Error)
	if message == "" {
		message = "The render failed."
	}
	problem := Problem{RenderID: &render.ID}
	return nil, &Error{Message: message, Status: 502, Code: "job_failed", Problem: problem}
}

// Stream follows a render, from how it is now to its end.
func (r *Renders) Stream(ctx context.Context, id string) *Stream {
	look := func(ctx context.Context, hasStream bool) (Event, error) {
		if !hasStream {
			if err := pause(ctx, betweenReads); err != nil {
				return Event{}, err
			}
		}
		render, err := r.Get(ctx, id)
		if err != nil {
			return Event{}, err
		}
		data := map[string]any{"status": render.Status, "progress": render.Progress}
		return makeEvent(isRunning(render.Status), "status", data)
	}
	path := "/renders/" + segment(id)
	return &Stream{ctx: ctx, caller: r.caller, path: path, ticket: "sse-ticket", stream: "sse", look: look}
}
