"""The client, by resource."""

from __future__ import annotations

from collections.abc import Callable

from ..transport.async_http import Response
from .caller import Caller
from .calls import (
    AccountCalls,
    AdminCalls,
    CompositionsCalls,
    CreditsCalls,
    GenerateCalls,
    ModelsCalls,
    OauthCalls,
    OrganizationsCalls,
    SharesCalls,
    TokensCalls,
    UploadsCalls,
)
from .resources import Agents, Assets, Jobs, Renders, Sets


class AsyncKlieg(AccountCalls):
    """A Klieg service. Everything that goes wrong is a `KliegError`.

    `url` is where the service is, `token` the credential or what finds it before each call.
    `surface` is recorded on the jobs. `retries_limits` says whether calls that are refused with 429
    are tried again for some seconds.
    """

    def __init__(
        self,
        *,
        url: str,
        token: str | Callable[[], str] | None = None,
        surface: str = "sdk",
        retries_limits: bool = True,
    ) -> None:
        caller = Caller(url, token, surface, retries_limits)
        super().__init__(caller)
        self.url = caller.url
        self.generate = GenerateCalls(caller)
        self.jobs = Jobs(caller)
        self.sets = Sets(caller)
        self.assets = Assets(caller)
        self.uploads = UploadsCalls(caller)
        self.compositions = CompositionsCalls(caller)
        self.renders = Renders(caller)
        self.shares = SharesCalls(caller)
        self.models = ModelsCalls(caller)
        self.credits = CreditsCalls(caller)
        self.tokens = TokensCalls(caller)
        self.organizations = OrganizationsCalls(caller)
        self.agents = Agents(caller)
        self.oauth = OauthCalls(caller)
        #: For operators: the scope `admin`.
        self.admin = AdminCalls(caller)

    async def download(self, signed_url: str) -> Response:
        """Reads a signed address: it needs no credential and must not be shown one."""
        return await self._caller.fetch_url("GET", signed_url)
