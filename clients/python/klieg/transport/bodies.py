"""What a request carries: pieces of known lengths, of which files are read as they are sent."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

CHUNK_BYTES = 65_536
#: Seconds; the service says something on a stream every 15 s, so longer is broken.
SILENCE = 45.0


@dataclass(frozen=True)
class FileSlice:
    path: str
    offset: int
    length: int

    def chunks(self) -> Iterator[bytes]:
        with open(self.path, "rb") as file:
            file.seek(self.offset)
            left = self.length
            while left > 0:
                chunk = file.read(min(CHUNK_BYTES, left))
                if not chunk:
                    raise OSError(f"{self.path} has become shorter.")
                left -= len(chunk)
                yield chunk


Piece = bytes | FileSlice
Body = Sequence[Piece]


def length_of(body: Body) -> int:
    return sum(len(piece) if isinstance(piece, bytes) else piece.length for piece in body)


def chunks_of(body: Body) -> Iterator[bytes]:
    for piece in body:
        if isinstance(piece, bytes):
            for at in range(0, len(piece), CHUNK_BYTES):
                yield piece[at : at + CHUNK_BYTES]
        else:
            yield from piece.chunks()


class Source:
    """A file, by its path or as bytes, of which any part can be read."""

    def __init__(self, file: bytes | str | os.PathLike[str]) -> None:
        if isinstance(file, bytes):
            self._bytes: bytes | None = file
            self._path = ""
            self.size = len(file)
            self.name: str | None = None
        else:
            self._bytes = None
            self._path = os.fspath(file)
            self.size = os.path.getsize(self._path)
            self.name = os.path.basename(self._path)

    def part(self, offset: int, length: int) -> Piece:
        if self._bytes is not None:
            return self._bytes[offset : offset + length]
        return FileSlice(self._path, offset, length)

    def whole(self) -> Piece:
        return self.part(0, self.size)


def form(fields: Mapping[str, str], filename: str, file: Piece) -> tuple[str, Body]:
    """The media type and body of a form with a file."""
    boundary = f"klieg-{secrets.token_hex(16)}"
    head = "".join(
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields.items()
    )
    quoted = filename.replace("\\", "_").replace('"', "%22").replace("\r", " ").replace("\n", " ")
    head += (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{quoted}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    )
    tail = f"\r\n--{boundary}--\r\n"
    return f"multipart/form-data; boundary={boundary}", [head.encode(), file, tail.encode()]
