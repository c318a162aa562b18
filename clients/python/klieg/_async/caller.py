"""One call of the client, and its retries.

1. What is raised is a `KliegError`.
2. A call is tried again as `retry.py` says, each time with the same Idempotency-Key.
3. A submit whose answer was lost is answered 409 when it is sent again. The 409 names what the
   lost answer was about, and that is returned: one call, at most one charge. A 409 that no lost
   answer explains is raised.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, urlencode

from ..errors import KliegError, refusal, unreachable
from ..retry import delay_after
from ..transport.async_http import Response, open_url, pause
from ..transport.bodies import Body

#: An answer that takes longer than this is silence.
ANSWER_SECONDS = 30.0
#: More for a call that carries a file, and for one whose answer is made meanwhile.
UPLOAD_SECONDS = 600.0
MAKING_SECONDS = 30.0


@dataclass(frozen=True)
class Call:
    method: str
    #: Behind the version prefix.
    path: str
    query: Mapping[str, object] | None = None
    #: Sent as JSON.
    body: object | None = None
    bytes: Body | None = None
    media_type: str | None = None
    #: A second arrival does no harm.
    is_repeatable: bool = False
    #: Carries an Idempotency-Key; a duplicate's earlier result is read here.
    earlier: str | None = None
    #: Time the service takes on purpose, on top of an answer's usual bound.
    held: float = 0.0


def segment(text: str) -> str:
    """One segment of a path."""
    return quote(text, safe="")


class Caller:
    def __init__(
        self,
        url: str,
        token: str | Callable[[], str] | None,
        surface: str,
        retries_limits: bool,
    ) -> None:
        self.url = url.rstrip("/").removesuffix("/v1")
        self._token = token
        self._surface = surface
        self._retries_limits = retries_limits
        self._is_answered = False

    async def json(self, call: Call, key: str | None = None, match: str | None = None) -> Any:
        """The JSON of a 2xx answer. Its shape is the service's promise; it is not checked here."""
        response = await self._attempt(call, key, match, whole=True)
        return json.loads(response)

    async def end(self, call: Call, match: str | None = None) -> None:
        """For an answer without a body."""
        await self._attempt(call, None, match, whole=True)

    async def open(self, call: Call, match: str | None = None) -> Response:
        """A 2xx answer with its body unread."""
        made = replace(call, held=MAKING_SECONDS)
        response = await self._attempt(made, None, match, whole=False)
        assert isinstance(response, Response)
        return response

    async def fetch_url(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None = None,
        body: Body | None = None,
        seconds: float = ANSWER_SECONDS,
    ) -> Response:
        """Tried once; an answer other than 2xx is raised. A signed address takes no credential."""
        try:
            response = await open_url(method, url, headers or {}, body, seconds)
            if 200 <= response.status < 300:
                return response
            said = await response.read()
        except (OSError, TimeoutError) as fault:
            raise unreachable(self.url) from fault
        raise refusal(response.status, response.headers, said)

    async def _attempt(
        self, call: Call, key: str | None, match: str | None, whole: bool
    ) -> Any:
        if call.earlier is not None and key is None:
            key = secrets.token_hex(16)
        is_lost = False
        tried = 0
        while True:
            tried += 1
            try:
                answer = await self._ask(call, key, match, whole)
                self._is_answered = True
                return answer
            except KliegError as fault:
                earlier = _earlier_path(call, fault) if is_lost else None
                if earlier is not None:
                    found = Call("GET", earlier, is_repeatable=True)
                    return await self._attempt(found, None, None, whole)
                delay = delay_after(
                    fault,
                    tried=tried,
                    is_read=call.method == "GET",
                    is_repeatable=call.is_repeatable,
                    is_answered=self._is_answered,
                    retries_limits=self._retries_limits,
                )
                if delay is None:
                    raise
                is_lost = is_lost or fault.status != 429
            await pause(delay)

    async def _ask(self, call: Call, key: str | None, match: str | None, whole: bool) -> Any:
        token = self._token() if callable(self._token) else self._token
        body = call.bytes
        media_type = call.media_type
        if call.body is not None:
            body = [json.dumps(call.body).encode()]
            media_type = "application/json"
        headers = {
            "x-service-surface": self._surface,
            **({} if token is None else {"authorization": f"Bearer {token}"}),
            **({} if media_type is None else {"content-type": media_type}),
            **({} if key is None else {"idempotency-key": key}),
            **({} if match is None else {"if-match": match}),
        }
        held = call.held if call.bytes is None else UPLOAD_SECONDS
        url = f"{self.url}/v1{call.path}{_query_of(call.query)}"
        response = await self.fetch_url(call.method, url, headers, body, ANSWER_SECONDS + held)
        if not whole:
            return response
        try:
            return await response.read()
        except (OSError, TimeoutError) as fault:
            raise unreachable(self.url) from fault


def _earlier_path(call: Call, fault: KliegError) -> str | None:
    """Where the result of a lost answer is read, when the fault says that there is one."""
    if fault.status != 409:
        return None
    known = {"jobs": fault.job_id, "renders": fault.render_id, "sets": fault.set_id}
    found = known.get(call.earlier or "")
    return None if found is None else f"/{call.earlier}/{segment(found)}"


def _query_of(query: Mapping[str, object] | None) -> str:
    """Without what is None."""
    texts = {name: _text(value) for name, value in (query or {}).items() if value is not None}
    return f"?{urlencode(texts)}" if texts else ""


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
