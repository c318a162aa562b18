package klieg

import (
	"context"
	"errors"
	"math/rand"
	"syscall"
	"time"
)

// Which faults pass, and how long to wait before the next try:
//
//  1. Silence, 502 and 503 are tried again where a second arrival does no harm; 500 only for reads.
//  2. A request that is refused with 429 is tried again, whatever it is.
//  3. Never earlier than the service asks; what it asks beyond askedMax is left to the caller.
const (
	// Tries of one call: some 40 s with the delays below, enough for a restart.
	triesMax = 12
	// Tries of a call that is refused for its rate: some 8 s.
	refusedTriesMax   = 5
	firstDelay        = 100 * time.Millisecond
	refusedFirstDelay = 500 * time.Millisecond
	delayMax          = 5 * time.Second
	askedMax          = 20 * time.Second
)

// delayAfter returns the time to wait before the next try; false when there should be none. tried
// counts from 1.
func (c *caller) delayAfter(fault *Error, sent call, tried int) (time.Duration, bool) {
	if fault.Status == 429 {
		if !c.retriesLimits || tried >= refusedTriesMax || fault.RetryAfterReset != "" {
			return 0, false
		}
		return patience(fault, refusedFirstDelay, tried)
	}
	if tried >= triesMax || !sent.isRepeatable || !isPassing(fault, sent.method == "GET") {
		return 0, false
	}
	// Nothing listens there.
	if tried == 1 && !c.isAnswered.Load() && errors.Is(fault.cause, syscall.ECONNREFUSED) {
		return 0, false
	}
	return patience(fault, firstDelay, tried)
}

func patience(fault *Error, first time.Duration, tried int) (time.Duration, bool) {
	if fault.RetryAfter > askedMax {
		return 0, false
	}
	delay := first << (tried - 1)
	if delay > delayMax {
		delay = delayMax
	}
	// Half of it by chance, so that clients that failed together do not come back together.
	return fault.RetryAfter + time.Duration(float64(delay)*(0.5+rand.Float64()/2)), true
}

// isPassing tells silence, or a service that cannot answer at the moment, from other faults.
func isPassing(fault *Error, isRead bool) bool {
	if fault.Code == "unreachable" {
		return true
	}
	return fault.Status == 502 || fault.Status == 503 || (isRead && fault.Status == 500)
}

// pause waits, or returns the context's error once that is done.
func pause(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
