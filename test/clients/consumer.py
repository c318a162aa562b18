"""A program of a stranger: `consumer.py sync|async <scenario.json> <url> <token>`.

It plays the scenario with the package as it is installed, and prints a line a step; its exit code
is 1 when one fails.
"""

from __future__ import annotations

import asyncio
import base64
import inspect
import json
import re
import sys
import traceback
from typing import Any

from klieg import AsyncKlieg, Klieg, KliegError
from klieg.models import Asset, GenerateImageRequest

Step = dict[str, Any]


def picture(klieg: Klieg) -> Asset:
    """What a person writes; here it need only be right in its types."""
    request: GenerateImageRequest = {"model": "studio-image", "prompt": "a red kite"}
    job = klieg.generate.image(request, idempotency_key="kite-1")
    for event in klieg.jobs.stream(job["id"]):
        print(event["data"].get("progress"))
    return klieg.jobs.wait(job["id"], timeout_seconds=60)["asset"]


async def pictures(klieg: AsyncKlieg) -> list[Asset]:
    """The same, several beside each other."""
    request: GenerateImageRequest = {"model": "studio-image", "prompt": "a red kite"}
    jobs = [await klieg.generate.image(request, idempotency_key=f"{n}") for n in range(3)]
    made = await asyncio.gather(*(klieg.jobs.wait(job["id"]) for job in jobs))
    return [job["asset"] for job in made]


class Player:
    def __init__(self, klieg: Klieg | AsyncKlieg, run: str) -> None:
        self._klieg = klieg
        self._kept: dict[str, Any] = {"run": {"id": run}}

    async def play(self, step: Step) -> None:
        if "refused" not in step:
            answer = await self._invoke(step)
            if "keep" in step:
                self._kept[step["keep"]] = answer
            if "lastEvent" in step:
                self._check(await last_of(answer), step["lastEvent"], "last event")
            elif "bytes" in step:
                self._check(len(await settled(answer.read())), step["bytes"], "bytes")
            elif "expect" in step:
                self._check(answer, step["expect"], "answer")
            return
        try:
            await self._invoke(step)
        except KliegError as fault:
            for name, value in step["refused"].items():
                self._check(getattr(fault, name), value, name)
        else:
            raise AssertionError("It was not refused.")

    async def _invoke(self, step: Step) -> Any:
        method: Any = self._klieg
        for name in step["call"].split("."):
            method = getattr(method, name)
        given = [self._filled(value) for value in step.get("arguments", [])]
        if "file" in step:
            given.append(content_of(step["file"]))
        if "text" in step:
            given.append(step["text"].encode())
        if "request" in step:
            given.append(self._filled(step["request"]))
        named = self._filled({**step.get("named", {}), **step.get("options", {})})
        if "file" in step:
            named["filename"] = step["file"]["name"]
        return await settled(method(*given, **named))

    def _filled(self, value: Any) -> Any:
        """Words that begin with `$` stand for what earlier steps kept."""
        if isinstance(value, str) and value.startswith("$"):
            match = re.match(r"^\$([\w.]+)(.*)$", value)
            assert match is not None
            name, *members = match[1].split(".")
            found = self._kept[name]
            for member in members:
                found = found[member]
            return f"{found}{match[2]}" if match[2] else found
        if isinstance(value, list):
            return [self._filled(one) for one in value]
        if isinstance(value, dict):
            return {name: self._filled(one) for name, one in value.items()}
        return value

    def _check(self, found: Any, pattern: Any, place: str) -> None:
        """Each member that is expected has to be there; others may be."""
        expected = self._filled(pattern)
        if isinstance(expected, dict):
            for name, value in expected.items():
                self._check(found.get(name), value, f"{place}.{name}")
        elif isinstance(expected, list):
            for at, value in enumerate(expected):
                self._check(found[at], value, f"{place}.{at}")
        elif found != expected:
            raise AssertionError(f"{place} is {found!r}, not {expected!r}")


async def settled(answer: Any) -> Any:
    """What a call of either client answers."""
    return await answer if inspect.isawaitable(answer) else answer


async def last_of(events: Any) -> Any:
    if not inspect.isasyncgen(events):
        return list(events)[-1]
    return [event async for event in events][-1]


def content_of(file: dict[str, Any]) -> bytes:
    return base64.b64decode(file["base64"]) + bytes(file.get("zeros", 0))


async def main() -> int:
    kind, path, url, token = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        steps: list[Step] = json.load(file)["steps"]
    klieg: Klieg | AsyncKlieg = Klieg(url=url, token=token)
    if kind == "async":
        klieg = AsyncKlieg(url=url, token=token)
    player = Player(klieg, f"python-{kind}")
    for step in steps:
        title = step.get("title", step["call"])
        try:
            await player.play(step)
        except Exception:
            print(f"FAILED {title}: {traceback.format_exc()}")
            return 1
        print(f"passed {title}")
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
