"""One request over a connection of its own, by `http.client`."""

from __future__ import annotations

import http.client
import time
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from .bodies import CHUNK_BYTES, SILENCE, Body, chunks_of, length_of

pause = time.sleep


class Response:
    """An answer whose body is unread."""

    def __init__(
        self, connection: http.client.HTTPConnection, answer: http.client.HTTPResponse
    ) -> None:
        self._connection = connection
        self._answer = answer
        self.status = answer.status
        self.headers = {name.lower(): value for name, value in answer.getheaders()}

    def chunks(self, silence: float = SILENCE) -> Iterator[bytes]:
        """Raises `OSError` when nothing arrives for `silence` seconds, or the answer breaks off."""
        if self._connection.sock is not None:
            self._connection.sock.settimeout(silence)
        try:
            while chunk := self._answer.read1(CHUNK_BYTES):
                yield chunk
            if self._answer.length:
                raise ConnectionError("The connection ended before the response was complete.")
        except http.client.HTTPException as fault:
            raise ConnectionError("The connection ended before the response was complete.") from fault
        finally:
            self.close()

    def read(self) -> bytes:
        return b"".join(self.chunks())

    def close(self) -> None:
        self._answer.close()
        self._connection.close()


def open_url(
    method: str, url: str, headers: Mapping[str, str], body: Body | None, timeout: float
) -> Response:
    """Raises `OSError` when there is no answer."""
    parts = urlsplit(url)
    secure = parts.scheme == "https"
    kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=timeout)
    target = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
    try:
        connection.putrequest(method, target)
        for name, value in {**headers, "connection": "close"}.items():
            connection.putheader(name, value)
        if body is not None or method in ("POST", "PUT", "PATCH"):
            connection.putheader("content-length", str(length_of(body or [])))
        connection.endheaders()
        try:
            for chunk in chunks_of(body or []):
                connection.send(chunk)
        except (BrokenPipeError, ConnectionResetError):
            pass  # A refusal may have been sent before all had arrived.
        return Response(connection, connection.getresponse())
    except http.client.HTTPException as fault:
        connection.close()
        raise ConnectionError("The service did not respond.") from fault
    except BaseException:
        connection.close()
        raise
