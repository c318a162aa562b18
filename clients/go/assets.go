package klieg

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// Files up to here go in one request.
	directBytesMax = 8 << 20
	betweenLooks   = 200 * time.Millisecond
	partTriesMax   = 5
)

// Assets has the operations on assets, and what takes more than one.
type Assets struct {
	AssetsService
	uploads *UploadsService
}

// File is what an upload sends.
type File struct {
	Name    string
	Size    int64
	Content io.ReaderAt
}

// BytesFile returns bytes as a file.
func BytesFile(name string, content []byte) File {
	return File{Name: name, Size: int64(len(content)), Content: bytes.NewReader(content)}
}

// OpenFile opens a file of this machine; close it after the upload.
func OpenFile(path string) (File, io.Closer, error) {
	opened, err := os.Open(path)
	if err != nil {
		return File{}, nil, err
	}
	stats, err := opened.Stat()
	if err != nil {
		opened.Close()
		return File{}, nil, err
	}
	return File{Name: filepath.Base(path), Size: stats.Size(), Content: opened}, opened, nil
}

// UploadOptions say more about an upload; the zero value says nothing.
type UploadOptions struct {
	// MimeType of the file; by default the one of its name.
	MimeType    string
	DisplayName string
	Tags        []string
	// OnProgress is told how many bytes were sent, and of how many.
	OnProgress func(done, total int64)
	// OnUpload is told the id of an upload that goes to a signed address.
	OnUpload func(id string)
	// Resume takes that id of an upload of this very file that broke off.
	Resume string
}

// Upload returns the asset once it is ready. A small file goes in one request; a larger one goes to
// a signed address, above 64 MiB in parts. What arrived stays, so an upload that broke off goes on
// where it was, by its id.
func (a *Assets) Upload(ctx context.Context, file File, options UploadOptions) (*Asset, error) {
	if options.OnProgress == nil {
		options.OnProgress = func(int64, int64) {}
	}
	if file.Size <= directBytesMax && options.Resume == "" {
		asset, err := a.sendForm(ctx, file, options)
		if err != nil {
			return nil, err
		}
		options.OnProgress(file.Size, file.Size)
		return a.ready(ctx, asset)
	}
	upload, err := a.begin(ctx, file, options)
	if err != nil {
		return nil, err
	}
	if options.OnUpload != nil {
		options.OnUpload(upload.ID)
	}
	asset, err := a.sendUpload(ctx, upload, file, options)
	if err != nil {
		return nil, err
	}
	return a.ready(ctx, asset)
}

// Ready returns the asset when the service has looked into it; an *Error when it cannot be used.
func (a *Assets) Ready(ctx context.Context, id string) (*Asset, error) {
	asset, err := a.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	return a.ready(ctx, asset)
}

// Download returns the bytes of an asset unread; close them.
func (a *Assets) Download(ctx context.Context, asset *Asset) (io.ReadCloser, error) {
	response, err := a.fetchContent(ctx, asset.SignedURL)
	var fault *Error
	if err == nil || !errors.As(err, &fault) || fault.Status == 0 {
		return response, err
	}
	// A signed address that no longer opens is asked for afresh.
	fresh, err := a.Get(ctx, asset.ID)
	if err != nil {
		return nil, err
	}
	return a.fetchContent(ctx, fresh.SignedURL)
}

func (a *Assets) fetchContent(ctx context.Context, url string) (io.ReadCloser, error) {
	response, err := a.caller.fetch(ctx, fetched{method: "GET", url: url, patient: answerTime})
	if err != nil {
		return nil, err
	}
	return response.Body, nil
}

func (a *Assets) ready(ctx context.Context, asset *Asset) (*Asset, error) {
	for asset.Status == "processing" || asset.Status == "pending_upload" {
		if err := pause(ctx, betweenLooks); err != nil {
			return nil, err
		}
		read, err := a.Get(ctx, asset.ID)
		if err != nil {
			return nil, err
		}
		asset = read
	}
	if asset.Status != "failed" {
		return asset, nil
	}
	message := valueOf(asset.FailureReason)
	if message == "" {
		message = "The file could not be used."
	}
	return nil, &Error{Message: message, Status: 400, Code: "validation"}
}

// sendForm sends a small file with its fields as multipart/form-data.
func (a *Assets) sendForm(ctx context.Context, file File, options UploadOptions) (*Asset, error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	fields := map[string]string{"display_name": options.DisplayName}
	if options.Tags != nil {
		tags, err := json.Marshal(options.Tags)
		if err != nil {
			return nil, err
		}
		fields["tags"] = string(tags)
	}
	for name, value := range fields {
		if value == "" {
			continue
		}
		if err := form.WriteField(name, value); err != nil {
			return nil, err
		}
	}
	part, err := form.CreateFormFile("file", file.Name)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(part, io.NewSectionReader(file.Content, 0, file.Size)); err != nil {
		return nil, err
	}
	if err := form.Close(); err != nil {
		return nil, err
	}
	sent := call{method: "POST", path: "/assets", bytes: body.Bytes(), mediaType: form.FormDataContentType()}
	asset := new(Asset)
	return asset, a.caller.sendJSON(ctx, sent, asset, nil)
}

func (a *Assets) begin(ctx context.Context, file File, options UploadOptions) (*Upload, error) {
	if options.Resume != "" {
		return a.uploads.Get(ctx, options.Resume)
	}
	request := CreateUploadRequest{
		Filename:  file.Name,
		MimeType:  options.MimeType,
		SizeBytes: file.Size,
		Tags:      options.Tags,
	}
	if request.MimeType == "" {
		request.MimeType = detectMediaType(file.Name)
	}
	if options.DisplayName != "" {
		request.DisplayName = &options.DisplayName
	}
	return a.uploads.Begin(ctx, request)
}

func (a *Assets) sendUpload(ctx context.Context, upload *Upload, file File, options UploadOptions) (*Asset, error) {
	if upload.Status == "completed" {
		return a.uploads.Complete(ctx, upload.ID, nil)
	}
	if upload.Method == "single" {
		whole := io.NewSectionReader(file.Content, 0, file.Size)
		if err := a.put(ctx, upload, valueOf(upload.URL), whole, 0); err != nil {
			return nil, err
		}
		options.OnProgress(file.Size, file.Size)
		return a.uploads.Complete(ctx, upload.ID, nil)
	}
	if err := a.sendParts(ctx, upload, file, options); err != nil {
		return nil, err
	}
	stored, err := a.uploads.Get(ctx, upload.ID)
	if err != nil {
		return nil, err
	}
	request := &CompleteUploadRequest{}
	for _, part := range stored.UploadedParts {
		request.Parts = append(request.Parts, CompleteUploadRequestPartsItem{
			PartNumber: part.PartNumber,
			Etag:       part.Etag,
		})
	}
	return a.uploads.Complete(ctx, upload.ID, request)
}

func (a *Assets) sendParts(ctx context.Context, upload *Upload, file File, options UploadOptions) error {
	size, count := file.Size, int64(1)
	if upload.PartSize != nil {
		size = *upload.PartSize
	}
	if upload.PartCount != nil {
		count = *upload.PartCount
	}
	urls, stored := map[int64]string{}, map[int64]bool{}
	for _, part := range upload.Parts {
		urls[part.PartNumber] = part.URL
	}
	for _, part := range upload.UploadedParts {
		stored[part.PartNumber] = true
	}
	for number := int64(1); number <= count; number++ {
		offset := (number - 1) * size
		length := size
		if offset+length > file.Size {
			length = file.Size - offset
		}
		if !stored[number] {
			url, err := urls[number], error(nil)
			if url == "" {
				url, err = a.partURL(ctx, upload.ID, number)
			}
			if err == nil {
				part := io.NewSectionReader(file.Content, offset, length)
				err = a.put(ctx, upload, url, part, number)
			}
			if err != nil {
				return err
			}
		}
		options.OnProgress(offset+length, file.Size)
	}
	return nil
}

// put tries again through silence, and with a new address where the part's has expired. Part 0 is
// the whole file.
func (a *Assets) put(ctx context.Context, upload *Upload, url string, content *io.SectionReader, part int64) error {
	header := http.Header{}
	for name, value := range upload.Headers {
		if part == 0 {
			header.Set(name, value)
		}
	}
	for tried := 1; ; tried++ {
		body := io.NewSectionReader(content, 0, content.Size())
		sent := fetched{"PUT", url, header.Clone(), body, content.Size(), uploadTime}
		response, err := a.caller.fetch(ctx, sent)
		if err == nil {
			return response.Body.Close()
		}
		var fault *Error
		if !errors.As(err, &fault) {
			return err
		}
		isExpired := fault.Status == 403 && part > 0
		if tried >= partTriesMax || !(isExpired || isPassing(fault, true)) {
			return err
		}
		if err := pause(ctx, betweenStreams<<tried); err != nil {
			return err
		}
		if part > 0 {
			if url, err = a.partURL(ctx, upload.ID, part); err != nil {
				return err
			}
		}
	}
}

func (a *Assets) partURL(ctx context.Context, id string, number int64) (string, error) {
	found, err := a.uploads.Parts(ctx, id, UploadPartsRequest{PartNumbers: []int64{number}})
	if err != nil {
		return "", err
	}
	if len(found.Parts) == 0 {
		return "", unreachable(a.caller.url, errors.New("the service gave no address for a part"))
	}
	return found.Parts[0].URL, nil
}

// mediaTypes are those that the service takes as assets, by the ends of files' names.
var mediaTypes = map[string]string{
	"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp",
	"gif": "image/gif", "mp4": "video/mp4", "mov": "video/quicktime", "webm": "video/webm",
	"mp3": "audio/mpeg", "wav": "audio/wav", "m4a": "audio/mp4", "ogg": "audio/ogg",
	"flac": "audio/flac", "glb": "model/gltf-binary", "gltf": "model/gltf+json",
	"woff2": "font/woff2", "ttf": "font/ttf",
}

func detectMediaType(name string) string {
	end := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
	if known := mediaTypes[end]; known != "" {
		return known
	}
	return "application/octet-stream"
}
