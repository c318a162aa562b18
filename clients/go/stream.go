package klieg

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"strings"
	"time"
)

const (
	// The pace of new streams when they end early, and of reads in the place of one.
	betweenStreams = 100 * time.Millisecond
	betweenReads   = time.Second
	// A frame above this is none of the service's.
	frameBytesMax = 1 << 20
)

// Event is something that happened, as an event stream says it.
type Event struct {
	// Name of the event, such as "status"; the last one is "complete".
	Name string
	// Data is the event's object in JSON.
	Data json.RawMessage
}

// Stream follows a job, a render or an agent's turn to its end, like bufio.Scanner:
//
//	for stream.Next() {
//		fmt.Println(stream.Event().Name)
//	}
//	if err := stream.Err(); err != nil { ... }
//
// A stream that ends before its last event is opened again with a new ticket. Where no stream can
// be had, reading stands in; when that fails, the stream ends with its error.
type Stream struct {
	ctx    context.Context
	caller *caller
	// Path of what is followed, and the words of its ticket and its stream.
	path, ticket, stream string
	// Reads what a stream would say now; it is told whether there was a stream.
	look func(ctx context.Context, hasStream bool) (Event, error)

	frames  *frames
	event   Event
	err     error
	isEnded bool
}

// Next waits for the next event; false after the last one, or when Err says why there is none.
func (s *Stream) Next() bool {
	if s.err != nil || s.isEnded {
		return false
	}
	event, err := s.next()
	if err != nil {
		s.err = err
		s.Close()
		return false
	}
	s.event = event
	if event.Name == "complete" {
		s.isEnded = true
		s.Close()
	}
	return true
}

// Event returns what Next found.
func (s *Stream) Event() Event { return s.event }

// Err returns why the stream ended before its last event; nil if it did not.
func (s *Stream) Err() error { return s.err }

// Close ends the connection. It need not be called after Next returned false.
func (s *Stream) Close() {
	if s.frames != nil {
		s.frames.body.Close()
		s.frames = nil
	}
}

func (s *Stream) next() (Event, error) {
	hasStream := true
	if s.frames == nil {
		opened, err := s.open()
		if err != nil && !isReplaceable(err) {
			return Event{}, err
		}
		s.frames, hasStream = opened, err == nil
	}
	if hasStream {
		event, err := s.frames.next()
		if err == nil && event.Name != "reconnect" {
			return event, nil
		}
		s.Close()
		if s.ctx.Err() != nil {
			return Event{}, s.ctx.Err()
		}
		if err := pause(s.ctx, betweenStreams); err != nil {
			return Event{}, err
		}
	}
	return s.look(s.ctx, hasStream)
}

// isReplaceable tells whether reading may stand in for a stream that could not be opened.
func isReplaceable(err error) bool {
	var fault *Error
	return errors.As(err, &fault) && (isPassing(fault, false) || fault.Status == 429)
}

// open asks for a ticket and a stream, each once: what stands in is better than another try.
func (s *Stream) open() (*frames, error) {
	minting := call{method: "POST", path: s.path + "/" + s.ticket}
	response, err := s.caller.ask(s.ctx, minting, callOptions{})
	if err != nil {
		return nil, err
	}
	text, err := readAll(response.Body, answerBytesMax)
	if err != nil {
		return nil, s.caller.describe(s.ctx, err)
	}
	var minted SseTicket
	if err := json.Unmarshal(text, &minted); err != nil {
		return nil, unreachable(s.caller.url, err)
	}
	target := s.caller.url + "/v1" + s.path + "/" + s.stream
	query := url.Values{"ticket": {minted.Ticket}}.Encode()
	asked := fetched{method: "GET", url: target + "?" + query, patient: answerTime}
	streaming, err := s.caller.fetch(s.ctx, asked)
	if err != nil {
		return nil, err
	}
	return newFrames(streaming.Body), nil
}

// frames reads a text/event-stream, as the HTML standard says.
type frames struct {
	body  io.ReadCloser
	lines *bufio.Scanner
}

func newFrames(body io.ReadCloser) *frames {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, frameBytesMax)
	return &frames{body, lines}
}

// next returns the next event with data; comments keep the connection alive and are skipped.
func (f *frames) next() (Event, error) {
	name := "message"
	var data bytes.Buffer
	for f.lines.Scan() {
		line := strings.TrimSuffix(f.lines.Text(), "\r")
		if line == "" && data.Len() > 0 {
			if !json.Valid(data.Bytes()) {
				return Event{}, errors.New("an event of the stream is not valid JSON")
			}
			return Event{Name: name, Data: data.Bytes()}, nil
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "event":
			name = value
		case "data":
			if data.Len()+len(value) > frameBytesMax {
				return Event{}, errors.New("an event of the stream is too long")
			}
			if data.Len() > 0 {
				data.WriteByte('\n')
			}
			data.WriteString(value)
		case "":
			name = "message"
		}
	}
	if err := f.lines.Err(); err != nil {
		return Event{}, err
	}
	return Event{}, io.ErrUnexpectedEOF
}

// makeEvent builds an event from what was read in place of a stream.
func makeEvent(isOpen bool, name string, data map[string]any) (Event, error) {
	text, err := json.Marshal(data)
	if err != nil {
		return Event{}, err
	}
	if !isOpen {
		name = "complete"
	}
	return Event{Name: name, Data: text}, nil
}
