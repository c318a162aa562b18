"""The client of a Klieg service: `Klieg`, and `AsyncKlieg` with the same surface for asyncio."""

from ._async.client import AsyncKlieg
from ._sync.client import Klieg
from .errors import KliegError

__all__ = ["AsyncKlieg", "Klieg", "KliegError"]
