# Written by clients/generator from the published contract; do not edit it.
# In place of this file edit its namesake in _async/.
"""What is more than one call: waiting, following, uploading.

1. A stream that ends before its last frame is opened again with a new ticket. Where no stream can
   be had, asking stands in; when that fails, the following ends with its error.
2. A small file goes in one request. A larger one goes to a signed address, above 64 MiB in parts;
   what arrived stays, so an upload that broke off goes on where it was, by its id.
"""

from __future__ import annotations

import json
import os
from collections.abc import Generator, Iterator, Callable, Sequence
from contextlib import closing
from typing import Any, cast

from ..errors import KliegError, job_error, not_yet, unreachable
from ..media_types import media_type_of
from ..models import Asset, Job, OutputSet, Render, Upload
from ..retry import is_passing
from ..sse import Frames
from ..transport.sync_http import Response, pause
from ..transport.bodies import Source, form
from .caller import UPLOAD_SECONDS, Call, Caller, segment
from .calls import (
    AgentsCalls,
    AssetsCalls,
    JobsCalls,
    RendersCalls,
    SetsCalls,
    UploadsCalls,
)

#: The pace of new streams when they end early, and of reads in the place of one.
BETWEEN_STREAMS = 0.1
BETWEEN_READS = 1.0
#: Of one request that waits.
WINDOW = 60

Event = dict[str, Any]


def _follow(
    caller: Caller, path: str, words: tuple[str, str], look: Callable[[bool], Event]
) -> Iterator[Event]:
    """The frames of a stream, to the `complete` one. `look` is told whether there was a stream."""
    while True:
        has_stream = True
        try:
            with closing(_frames(caller, path, words)) as frames:
                for event in frames:
                    yield event
                    if event["event"] == "complete":
                        return
        except KliegError as fault:
            if not is_passing(fault) and fault.status != 429:
                raise
            has_stream = False
        event = look(has_stream)
        yield event
        if event["event"] == "complete":
            return
        pause(BETWEEN_STREAMS)


def _frames(
    caller: Caller, path: str, words: tuple[str, str]
) -> Generator[Event, None, None]:
    """Of one stream. Each step is tried once: what stands in is better than a new try."""
    ticket, stream = words
    minted = caller.json(Call("POST", f"{path}/{ticket}"))
    url = f"{caller.url}/v1{path}/{stream}?ticket={segment(minted['ticket'])}"
    response = caller.fetch_url("GET", url)
    frames = Frames()
    try:
        for chunk in response.chunks():
            for name, data in frames.feed(chunk):
                if name == "reconnect":
                    return
                yield {"event": name, "data": json.loads(data)}
    except (OSError, TimeoutError, ValueError) as fault:
        raise unreachable(caller.url) from fault
    finally:
        response.close()


class Jobs(JobsCalls):
    def wait(
        self,
        id: str,
        *,
        timeout_seconds: float | None = None,
        on_event: Callable[[Event], None] | None = None,
    ) -> Job:
        """The job once it has succeeded.

        A job that failed raises with its failure's code, a canceled one with `canceled`; the job is
        in the error. After `timeout_seconds` it raises `timeout`, and the job goes on. `on_event`
        is told how the job is each time that this is asked.
        """
        left = float("inf") if timeout_seconds is None else timeout_seconds
        if on_event is not None and timeout_seconds is None:
            for event in self.stream(id):
                on_event(event)
        while left > 0:
            job = self.await_end(id, max(1, int(min(left, WINDOW))))
            if job is not None:
                if job["status"] == "succeeded":
                    return job
                raise job_error(job)
            if on_event is not None:
                on_event(_job_event(self.get(id)))
            left -= WINDOW
        raise not_yet(id)

    def await_end(self, id: str, seconds: int) -> Job | None:
        """The job once it has ended, however; None when the window (1 to 900 s) closes first."""
        call = Call(
            "GET",
            f"/jobs/{segment(id)}/wait",
            query={"timeout_seconds": seconds},
            is_repeatable=True,
            held=float(seconds),
        )
        try:
            return cast(Job, self._caller.json(call))
        except KliegError as fault:
            if fault.status == 408:
                return None
            raise

    def stream(self, id: str) -> Iterator[Event]:
        """What happens to the job, from how it is now to its end."""

        def look(has_stream: bool) -> Event:
            ended = None if has_stream else self.await_end(id, WINDOW)
            return _job_event(self.get(id) if ended is None else ended)

        return _follow(
            self._caller, f"/jobs/{segment(id)}", ("sse-ticket", "sse"), look
        )


def _job_event(job: Job) -> Event:
    """What a stream would say of a job that was read."""
    status = job["status"]
    data: Event = {"status": status}
    failure = job.get("failure")
    cancellation = job.get("cancellation")
    if failure:
        data.update(error=failure["message"], failure_kind=failure["kind"])
        if "code" in failure:
            data["failure_code"] = failure["code"]
    elif cancellation:
        data["error"] = cancellation["message"]
    elif job.get("progress") is not None:
        data["progress"] = job.get("progress")
    is_open = status in ("queued", "running")
    return {"event": "status" if is_open else "complete", "data": data}


class Renders(RendersCalls):
    def wait(
        self, id: str, *, on_event: Callable[[Event], None] | None = None
    ) -> Render:
        """The render once it has succeeded; a failed one raises `job_failed`."""
        for event in self.stream(id):
            if on_event is not None:
                on_event(event)
        render = self.get(id)
        if render["status"] == "succeeded":
            return render
        raise KliegError(
            render.get("error") or "The render failed.",
            status=502,
            code="job_failed",
            problem={"render_id": id},
        )

    def stream(self, id: str) -> Iterator[Event]:
        """What happens to the render, from how it is now to its end."""

        def look(has_stream: bool) -> Event:
            if not has_stream:
                pause(BETWEEN_READS)
            render = self.get(id)
            is_open = render["status"] in ("queued", "running")
            data = {"status": render["status"], "progress": render.get("progress")}
            return {"event": "status" if is_open else "complete", "data": data}

        return _follow(
            self._caller, f"/renders/{segment(id)}", ("sse-ticket", "sse"), look
        )


class Agents(AgentsCalls):
    def stream(self, id: str) -> Iterator[Event]:
        """What the running turn of a session does, to its end."""

        def look(has_stream: bool) -> Event:
            if not has_stream:
                pause(BETWEEN_READS)
            session = self.get_session(id)
            turn = session.get("current_turn") or next(iter(session.get("turns") or []), None)
            if turn is None:
                return {"event": "complete", "data": {"status": "finished"}}
            data = {"turn_id": turn["id"], "status": turn["status"]}
            return {"event": "turn" if turn["status"] == "running" else "complete", "data": data}

        return _follow(
            self._caller, f"/agent/sessions/{segment(id)}", ("events-ticket", "events"), look
        )


class Sets(SetsCalls):
    def wait(self, id: str) -> OutputSet:
        """The set once none of its members runs any more: `ready`, `partial` or `failed`."""
        while True:
            found = self.get(id)
            if found["status"] != "generating":
                return found
            pause(0.5)


#: Files up to here go in one request.
DIRECT_BYTES_MAX = 8 * 1_048_576
BETWEEN_LOOKS = 0.2
PART_TRIES_MAX = 5


class Assets(AssetsCalls):
    def __init__(self, caller: Caller) -> None:
        super().__init__(caller)
        self._uploads = UploadsCalls(caller)

    def upload(
        self,
        file: bytes | str | os.PathLike[str],
        *,
        filename: str | None = None,
        mime_type: str | None = None,
        display_name: str | None = None,
        tags: Sequence[str] | None = None,
        on_progress: Callable[[int, int], None] | None = None,
        on_upload: Callable[[str], None] | None = None,
        resume: str | None = None,
    ) -> Asset:
        """The asset once it is ready. `file` is its bytes or its path.

        `on_progress` is told the bytes that were sent, and of how many. `on_upload` is told the id
        of an upload that goes to a signed address; `resume` takes that id of an upload of this very
        file that broke off.
        """
        source = Source(file)
        name = filename or source.name or "upload"
        sent = on_progress or (lambda done, total: None)
        if source.size <= DIRECT_BYTES_MAX and resume is None:
            fields = {} if display_name is None else {"display_name": display_name}
            if tags is not None:
                fields["tags"] = json.dumps(list(tags))
            media_type, body = form(fields, name, source.whole())
            call = Call("POST", "/assets", bytes=body, media_type=media_type)
            asset = cast(Asset, self._caller.json(call))
            sent(source.size, source.size)
            return self.ready(asset)
        if resume is not None:
            upload = self._uploads.get(resume)
        else:
            asked: dict[str, Any] = {
                "filename": name,
                "mime_type": mime_type or media_type_of(name),
                "size_bytes": source.size,
            }
            if display_name is not None:
                asked["display_name"] = display_name
            if tags is not None:
                asked["tags"] = list(tags)
            upload = self._uploads.begin(cast(Any, asked))
        if on_upload is not None:
            on_upload(upload["id"])
        return self.ready(self._send(upload, source, sent))

    def ready(self, asset: Asset | str) -> Asset:
        """The asset when the service has looked into it. Raises when it cannot be used."""
        read = self.get(asset) if isinstance(asset, str) else asset
        while read["status"] in ("processing", "pending_upload"):
            pause(BETWEEN_LOOKS)
            read = self.get(read["id"])
        if read["status"] != "failed":
            return read
        reason = read.get("failure_reason") or "The file could not be used."
        raise KliegError(reason, status=400, code="validation")

    def download(self, asset: Asset | str) -> Response:
        """The bytes of an asset, unread: `read()` or `chunks()`."""
        known = self.get(asset) if isinstance(asset, str) else asset
        try:
            return self._caller.fetch_url("GET", known["signed_url"])
        except KliegError as fault:
            if fault.status == 0:
                raise
        # A signed address that no longer opens is asked for afresh.
        fresh = self.get(known["id"])
        return self._caller.fetch_url("GET", fresh["signed_url"])

    def _send(
        self, upload: Upload, source: Source, sent: Callable[[int, int], None]
    ) -> Asset:
        id = upload["id"]
        if upload["status"] == "completed":
            return self._uploads.complete(id)
        if upload["method"] == "single":
            headers = dict(upload.get("headers") or {})
            self._put(upload.get("url") or "", headers, source, 0, source.size, None)
            sent(source.size, source.size)
            return self._uploads.complete(id)
        size = upload.get("part_size") or source.size
        urls = {part["part_number"]: part["url"] for part in upload.get("parts") or []}
        there = {part["part_number"] for part in upload.get("uploaded_parts") or []}
        done = 0
        for number in range(1, (upload.get("part_count") or 1) + 1):
            offset = (number - 1) * size
            length = min(size, source.size - offset)
            if number not in there:
                url = urls.get(number) or self._part_url(id, number)
                self._put(url, {}, source, offset, length, (id, number))
            done += length
            sent(done, source.size)
        stored = (self._uploads.get(id)).get("uploaded_parts") or []
        parts = [{"part_number": one["part_number"], "etag": one["etag"]} for one in stored]
        return self._uploads.complete(id, cast(Any, {"parts": parts}))

    def _put(
        self,
        url: str,
        headers: dict[str, str],
        source: Source,
        offset: int,
        length: int,
        part: tuple[str, int] | None,
    ) -> None:
        """Tries again through silence, and with a new address where the part's has expired."""
        tried = 0
        while True:
            tried += 1
            try:
                body = [source.part(offset, length)]
                response = self._caller.fetch_url("PUT", url, headers, body, UPLOAD_SECONDS)
                response.close()
                return
            except KliegError as fault:
                is_expired = fault.status == 403 and part is not None
                if tried >= PART_TRIES_MAX or not (is_expired or is_passing(fault, True)):
                    raise
            pause(BETWEEN_STREAMS * 2**tried)
            if part is not None:
                url = self._part_url(*part)

    def _part_url(self, id: str, number: int) -> str:
        found = self._uploads.parts(id, {"part_numbers": [number]})
        return found["parts"][0]["url"]
