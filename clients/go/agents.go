package klieg

import "context"

// Agents has the operations on agents' sessions, and what takes more than one.
type Agents struct{ AgentsService }

// Stream follows what the running turn of a session does, to its end.
func (a *Agents) Stream(ctx context.Context, id string) *Stream {
	look := func(ctx context.Context, hasStream bool) (Event, error) {
		if !hasStream {
			if err := pause(ctx, betweenReads); err != nil {
				return Event{}, err
			}
		}
		session, err := a.GetSession(ctx, id)
		if err != nil {
			return Event{}, err
		}
		turn := session.CurrentTurn
		if turn == nil && len(session.Turns) > 0 {
			turn = &session.Turns[0]
		}
		if turn == nil {
			return makeEvent(false, "complete", map[string]any{"status": "finished"})
		}
		data := map[string]any{"turn_id": turn.ID, "status": turn.Status}
		return makeEvent(turn.Status == "running", "turn", data)
	}
	path := "/agent/sessions/" + segment(id)
	return &Stream{ctx: ctx, caller: a.caller, path: path, ticket: "events-ticket", stream: "events", look: look}
}
