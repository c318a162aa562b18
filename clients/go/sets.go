package klieg

import (
	"context"
	"time"
)

// Sets has the operations on sets, and what takes more than one.
type Sets struct{ SetsService }

// Wait returns the set once none of its members runs any more: ready, partial or failed.
func (s *Sets) Wait(ctx context.Context, id string) (*OutputSet, error) {
	for {
		set, err := s.Get(ctx, id)
		if err != nil || set.Status != "generating" {
			return set, err
		}
		if err := pause(ctx, 500*time.Millisecond); err != nil {
			return nil, err
		}
	}
}
