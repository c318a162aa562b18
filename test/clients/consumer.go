// A program of a stranger: `consumer <scenario.json> <url> <token>`. It plays the scenario with the
// module as it is installed, and prints a line a step; its exit code is 1 when one fails.
package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"strings"

	"klieg"
)

type members = map[string]any

type player struct {
	client *klieg.Client
	kept   members
}

// picture is what a person writes; here it need only compile.
func picture(ctx context.Context, client *klieg.Client) (*klieg.Asset, error) {
	request := klieg.GenerateImageRequest{Model: "studio-image", Prompt: klieg.Ptr("a red kite")}
	job, err := client.Generate.Image(ctx, request, klieg.WithIdempotencyKey("kite-1"))
	if err != nil {
		return nil, err
	}
	stream := client.Jobs.Stream(ctx, job.ID)
	for stream.Next() {
		fmt.Println(stream.Event().Name)
	}
	made, err := client.Jobs.Wait(ctx, job.ID)
	var refused *klieg.Error
	if errors.As(err, &refused) && refused.Code == "canceled" {
		return nil, nil
	}
	return made.Asset, err
}

func main() {
	_ = picture
	text, err := os.ReadFile(os.Args[1])
	must(err)
	var scenario struct{ Steps []members }
	must(json.Unmarshal(text, &scenario))
	client := klieg.NewClient(os.Args[2], klieg.WithToken(os.Args[3]))
	p := &player{client, members{"run": members{"id": "go"}}}
	for _, step := range scenario.Steps {
		title, _ := step["title"].(string)
		if title == "" {
			title = step["call"].(string)
		}
		if err := p.play(step); err != nil {
			fmt.Printf("FAILED %s: %v\n", title, err)
			os.Exit(1)
		}
		fmt.Printf("passed %s\n", title)
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func (p *player) play(step members) error {
	answer, err := p.invoke(step)
	if refused, ok := step["refused"].(members); ok {
		var fault *klieg.Error
		if !errors.As(err, &fault) {
			return fmt.Errorf("it was not refused: %v", err)
		}
		found := members{"status": fault.Status, "code": nil, "job_id": fault.JobID()}
		if fault.Code != "" {
			found["code"] = fault.Code
		}
		return p.check(plain(found), refused, "refusal")
	}
	if err != nil {
		return err
	}
	switch found := answer.(type) {
	case *klieg.Stream:
		var last klieg.Event
		for found.Next() {
			last = found.Event()
		}
		if err := found.Err(); err != nil {
			return err
		}
		event := members{"event": last.Name, "data": last.Data}
		return p.check(plain(event), step["lastEvent"], "last event")
	case io.ReadCloser:
		content, err := io.ReadAll(found)
		if err != nil {
			return err
		}
		return p.check(plain(len(content)), step["bytes"], "bytes")
	}
	if name, ok := step["keep"].(string); ok {
		p.kept[name] = plain(answer)
	}
	if step["expect"] == nil {
		return nil
	}
	return p.check(plain(answer), step["expect"], "answer")
}

// invoke finds a method by its name and fills its parameters by their types.
func (p *player) invoke(step members) (any, error) {
	names := strings.Split(step["call"].(string), ".")
	target := reflect.ValueOf(p.client)
	for _, name := range names[:len(names)-1] {
		target = target.Elem().FieldByName(export(name))
	}
	method := target.MethodByName(export(names[len(names)-1]))
	values, _ := step["arguments"].([]any)
	given := []reflect.Value{reflect.ValueOf(context.Background())}
	for at := 1; at < method.Type().NumIn(); at++ {
		kind := method.Type().In(at)
		if method.Type().IsVariadic() && at == method.Type().NumIn()-1 {
			break
		}
		value, err := p.fill(step, kind, &values)
		if err != nil {
			return nil, err
		}
		given = append(given, value)
	}
	if options, ok := p.filled(step["options"]).(members); ok {
		key := options["idempotency_key"].(string)
		given = append(given, reflect.ValueOf(klieg.WithIdempotencyKey(key)))
	}
	results := method.Call(given)
	last := results[len(results)-1]
	err, _ := last.Interface().(error)
	if len(results) == 1 {
		if last.Type() == reflect.TypeOf((*klieg.Stream)(nil)) {
			return last.Interface(), nil
		}
		return nil, err
	}
	return results[0].Interface(), err
}

func (p *player) fill(step members, kind reflect.Type, values *[]any) (reflect.Value, error) {
	switch kind {
	case reflect.TypeOf(klieg.File{}):
		file := step["file"].(members)
		content, err := base64.StdEncoding.DecodeString(file["base64"].(string))
		zeros, _ := file["zeros"].(float64)
		content = append(content, make([]byte, int(zeros))...)
		return reflect.ValueOf(klieg.BytesFile(file["name"].(string), content)), err
	case reflect.TypeOf(klieg.UploadOptions{}):
		options := klieg.UploadOptions{}
		if named, ok := step["named"].(members); ok {
			options.DisplayName = named["display_name"].(string)
			for _, tag := range named["tags"].([]any) {
				options.Tags = append(options.Tags, tag.(string))
			}
		}
		return reflect.ValueOf(options), nil
	case reflect.TypeOf([]byte{}):
		return reflect.ValueOf([]byte(step["text"].(string))), nil
	}
	var value any
	switch {
	case len(*values) > 0:
		value = p.filled((*values)[0])
		*values = (*values)[1:]
	case step["request"] != nil:
		value = p.filled(step["request"])
	case step["named"] != nil:
		value = p.filled(step["named"])
	}
	made := reflect.New(kind)
	text, err := json.Marshal(value)
	if err != nil {
		return made.Elem(), err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	return made.Elem(), decoder.Decode(made.Interface())
}

var reference = regexp.MustCompile(`^\$([\w.]+)(.*)$`)

// filled puts what earlier steps kept in the place of words that begin with `$`.
func (p *player) filled(value any) any {
	switch one := value.(type) {
	case string:
		match := reference.FindStringSubmatch(one)
		if match == nil {
			return one
		}
		var found any = p.kept
		for _, name := range strings.Split(match[1], ".") {
			found = found.(members)[name]
		}
		if match[2] == "" {
			return found
		}
		return fmt.Sprint(found) + match[2]
	case []any:
		filled := []any{}
		for _, each := range one {
			filled = append(filled, p.filled(each))
		}
		return filled
	case members:
		filled := members{}
		for name, each := range one {
			filled[name] = p.filled(each)
		}
		return filled
	}
	return value
}

// check finds each member that is expected; others may be there.
func (p *player) check(found, pattern any, place string) error {
	switch expected := p.filled(pattern).(type) {
	case members:
		known, _ := found.(members)
		for name, value := range expected {
			if err := p.check(known[name], value, place+"."+name); err != nil {
				return err
			}
		}
	case []any:
		known, _ := found.([]any)
		for at, value := range expected {
			if at >= len(known) {
				return fmt.Errorf("%s has only %d items", place, len(known))
			}
			if err := p.check(known[at], value, fmt.Sprintf("%s.%d", place, at)); err != nil {
				return err
			}
		}
	default:
		if found != expected {
			return fmt.Errorf("%s is %v, not %v", place, found, expected)
		}
	}
	return nil
}

// plain makes maps, lists, strings and numbers of a value, as JSON has them.
func plain(value any) any {
	text, err := json.Marshal(value)
	must(err)
	var made any
	must(json.Unmarshal(text, &made))
	return made
}

func export(name string) string {
	known := map[string]string{"oauth": "OAuth"}
	if word := known[name]; word != "" {
		return word
	}
	words := strings.Split(name, "_")
	for at, word := range words {
		words[at] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}
