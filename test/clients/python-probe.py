"""`python-probe.py sync|async <url> <call> [argument]`: one call; prints its answer or its error."""

from __future__ import annotations

import asyncio
import inspect
import json
import sys
from typing import Any

from klieg import AsyncKlieg, Klieg, KliegError

PICTURE = {"model": "studio-image", "prompt": "a red kite"}


async def called(klieg: Any, call: str) -> Any:
    if call == "image":
        return klieg.generate.image(PICTURE)
    if call == "own-key":
        return klieg.generate.image(PICTURE, idempotency_key="mine")
    if call == "account":
        return klieg.admin.create_account({"email": "a@b.c"})
    if call == "token":
        return klieg.tokens.create({"name": "a"})
    if call == "wait":
        return klieg.jobs.wait("j1")
    if call == "stream":
        events = klieg.jobs.stream("j1")
        if inspect.isasyncgen(events):
            return [event async for event in events]
        return list(events)
    if call == "upload":
        return klieg.assets.upload(b"0123456789", filename="a.png", resume="u1")
    return klieg.me()


async def main() -> None:
    kind, url, call = sys.argv[1:]
    klieg = (AsyncKlieg if kind == "async" else Klieg)(url=url, token="pat_1")
    try:
        answer = await called(klieg, call)
        print(json.dumps(await answer if inspect.isawaitable(answer) else answer))
    except KliegError as error:
        said = ("status", "code", "job_id", "retry_after", "retry_after_reset", "errors")
        print(json.dumps({"raised": {name: getattr(error, name) for name in said}}))


asyncio.run(main())
