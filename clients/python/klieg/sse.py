"""Reading a `text/event-stream`, as the HTML standard says."""

from __future__ import annotations

from collections.abc import Iterator

#: A frame above this is no frame of ours.
FRAME_BYTES_MAX = 1_048_576


class Frames:
    """Frames out of bytes that come in any pieces."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, chunk: bytes) -> Iterator[tuple[str, str]]:
        """Event names and data. An unfinished last frame is kept for the next piece."""
        *frames, self._rest = (self._rest + chunk).replace(b"\r\n", b"\n").split(b"\n\n")
        if len(self._rest) > FRAME_BYTES_MAX:
            raise ValueError("An event of the stream is too long.")
        for frame in frames:
            event = _parse(frame.decode())
            if event is not None:
                yield event


def _parse(frame: str) -> tuple[str, str] | None:
    """None for a frame without data, such as a comment that keeps the connection alive."""
    name = "message"
    data: list[str] = []
    for line in frame.split("\n"):
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            name = value
        if field == "data":
            data.append(value)
    return (name, "\n".join(data)) if data else None
