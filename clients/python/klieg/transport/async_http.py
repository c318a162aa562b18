"""One request over a connection of its own, by asyncio's streams; canceling it closes that."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Mapping
from urllib.parse import urlsplit

from .bodies import CHUNK_BYTES, SILENCE, Body, chunks_of, length_of

HEAD_BYTES_MAX = 65_536
pause = asyncio.sleep


class Response:
    """An answer whose body is unread."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        status: int,
        headers: Mapping[str, str],
    ) -> None:
        self._reader = reader
        self._writer = writer
        self.status = status
        self.headers = headers

    async def chunks(self, silence: float = SILENCE) -> AsyncIterator[bytes]:
        """Raises `OSError` when nothing arrives for `silence` seconds, or the answer breaks off."""
        try:
            if "chunked" in self.headers.get("transfer-encoding", ""):
                while size := await self._chunk_size(silence):
                    async for piece in self._exactly(size, silence):
                        yield piece
                    await self._within(self._reader.readexactly(2), silence)
            elif "content-length" in self.headers:
                async for piece in self._exactly(int(self.headers["content-length"]), silence):
                    yield piece
            else:
                while chunk := await self._within(self._reader.read(CHUNK_BYTES), silence):
                    yield chunk
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError) as fault:
            raise ConnectionError("The connection ended before the response was complete.") from fault
        finally:
            await self.close()

    async def _exactly(self, size: int, silence: float) -> AsyncIterator[bytes]:
        left = size
        while left > 0:
            piece = await self._within(self._reader.read(min(CHUNK_BYTES, left)), silence)
            if not piece:
                raise ConnectionError("The connection ended before the response was complete.")
            left -= len(piece)
            yield piece

    async def _chunk_size(self, silence: float) -> int:
        line = await self._within(self._reader.readuntil(b"\r\n"), silence)
        return int(line.split(b";")[0], 16)

    async def _within(self, read: Awaitable[bytes], silence: float) -> bytes:
        async with asyncio.timeout(silence):
            return await read

    async def read(self) -> bytes:
        return b"".join([chunk async for chunk in self.chunks()])

    async def close(self) -> None:
        self._writer.close()


async def open_url(
    method: str, url: str, headers: Mapping[str, str], body: Body | None, timeout: float
) -> Response:
    """Raises `OSError` when there is no answer."""
    async with asyncio.timeout(timeout):
        parts = urlsplit(url)
        secure = parts.scheme == "https"
        reader, writer = await asyncio.open_connection(
            parts.hostname,
            parts.port or (443 if secure else 80),
            ssl=ssl.create_default_context() if secure else None,
            limit=HEAD_BYTES_MAX,
        )
        try:
            target = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
            lines = {"host": parts.netloc.rsplit("@", 1)[-1], **headers, "connection": "close"}
            if body is not None or method in ("POST", "PUT", "PATCH"):
                lines["content-length"] = str(length_of(body or []))
            writer.write(_head(f"{method} {target} HTTP/1.1", lines))
            await _send(writer, body)
            return await _answer(reader, writer)
        except BaseException:
            writer.close()
            raise


def _head(first: str, headers: Mapping[str, str]) -> bytes:
    lines = [first, *(f"{name}: {value}" for name, value in headers.items())]
    if any("\r" in line or "\n" in line for line in lines):
        raise ValueError("A header contains a line break.")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


async def _send(writer: asyncio.StreamWriter, body: Body | None) -> None:
    try:
        for chunk in chunks_of(body or []):
            writer.write(chunk)
            await writer.drain()
        await writer.drain()
    except (BrokenPipeError, ConnectionResetError):
        pass  # A refusal may have been sent before all had arrived.


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Response:
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            first, *lines = head.decode("latin-1").split("\r\n")
            status = int(first.split(" ")[1])
            if status < 200:
                continue
            pairs = (line.partition(":") for line in lines if line)
            headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
            return Response(reader, writer, status, headers)
    except (EOFError, asyncio.LimitOverrunError, LookupError, ValueError) as fault:
        raise ConnectionError("The service did not respond.") from fault
