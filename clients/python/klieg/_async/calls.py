"""Every operation of the contract.

Written by clients/generator from the published contract; do not edit it.
"""

from __future__ import annotations

import os
from typing import Literal, cast

from ..models import (
    AdminAccount,
    AdminAccountPage,
    AdminCreateTokenRequest,
    AdminFailureList,
    AdminGiveCreditsRequest,
    AdminGiveOrganizationCreditsRequest,
    AdminJobPage,
    AdminNode,
    AdminNodeList,
    AdminOrganization,
    AdminOverview,
    AdminProvider,
    AdminProviderList,
    AdminTaskList,
    AdminUpdateAccountRequest,
    AdminUpdateOrganizationRequest,
    AgentSession,
    AgentSessionPage,
    AgentTurn,
    Asset,
    AssetPage,
    AssetPatchRequest,
    AuditPage,
    BlocksRequest,
    CanceledJobs,
    CatalogueLoaded,
    CeilingRequest,
    ClientList,
    CloneCompositionRequest,
    CompleteUploadRequest,
    Composition,
    CompositionFile,
    CompositionPage,
    CreateAccountRequest,
    CreateCompositionRequest,
    CreateSessionRequest,
    CreateShareRequest,
    CreateTokenRequest,
    CreateTurnRequest,
    CreateUploadRequest,
    CreatedAccount,
    CreatedClient,
    CreatedToken,
    Credits,
    CreditsGiven,
    EffectiveTimeline,
    EnhancePromptRequest,
    EnhancedPrompt,
    FigmaImport,
    FigmaImportRequest,
    FinishTurnRequest,
    Generate3DRequest,
    GenerateAudioRequest,
    GenerateImageRequest,
    GenerateSetRequest,
    GenerateVideoRequest,
    InterruptRequest,
    InvariantPage,
    Job,
    JobCostQuote,
    JobCostRequest,
    JobEvents,
    JobPage,
    JobsCancelManyRequest,
    LedgerPage,
    Limits,
    Member,
    MemberBudget,
    MemberList,
    Model,
    ModelPage,
    OauthApproveDeviceRequest,
    OauthCreateClientRequest,
    Organization,
    OrganizationList,
    OrganizationsActivateRequest,
    OrganizationsAddMemberRequest,
    OrganizationsCreateRequest,
    OrganizationsSetBudgetRequest,
    OrganizationsUpdateMemberRequest,
    OrganizationsUpdateRequest,
    OutputSet,
    OutputSetPage,
    PatchCompositionRequest,
    Preview,
    ReadRequeued,
    RemoveBackgroundVideoRequest,
    Render,
    RenderList,
    RenderRequest,
    RestoreVideoRequest,
    ShareLink,
    ShareList,
    SharePassword,
    ShareResolution,
    SignedUrls,
    SignedUrlsRequest,
    SpendReport,
    SseTicket,
    TokenList,
    Upload,
    UploadParts,
    UploadPartsRequest,
    User,
)
from ..transport.async_http import Response
from ..transport.bodies import Source
from .caller import Call, Caller, segment


class AccountCalls:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def me(self) -> User:
        """The account and its current generation concurrency."""
        call = Call("GET", "/me", is_repeatable=True)
        return cast(User, await self._caller.json(call))

    async def limits(self) -> Limits:
        """Read the limits that apply to the caller."""
        call = Call("GET", "/limits", is_repeatable=True)
        return cast(Limits, await self._caller.json(call))


class GenerateCalls:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def image(
        self,
        request: GenerateImageRequest,
        *,
        idempotency_key: str | None = None,
    ) -> Job:
        """Generate images."""
        call = Call("POST", "/generate/image", body=request, is_repeatable=True, earlier="jobs")
        return cast(Job, await self._caller.json(call, key=idempotency_key))

    async def video(
        self,
        request: GenerateVideoRequest,
        *,
        idempotency_key: str | None = None,
    ) -> Job:
        """Generate a video."""
        call = Call("POST", "/generate/video", body=request, is_repeatable=True, earlier="jobs")
        return cast(Job, await self._caller.json(call, key=idempotency_key))

    async def audio(
        self,
        request: GenerateAudioRequest,
        *,
        idempotency_key: str | None = None,
    ) -> Job:
        """Generate speech, music or a sound effect."""
        call = Call("POST", "/generate/audio", body=request, is_repeatable=True, earlier="jobs")
        return cast(Job, await self._caller.json(call, key=idempotency_key))

    async def three_d(
        self,
        request: Generate3DRequest,
        *,
        idempotency_key: str | None = None,
    ) -> Job:
        """Generate a 3D model from photos."""
        call = Call("POST", "/generate/3d", body=request, is_repeatable=True, earlier="jobs")
        return cast(Job, await self._caller.json(call, key=idempotency_key))

    async def set(
        self,
        request: GenerateSetRequest,
        *,
        idempotency_key: str | None = None,
    ) -> OutputSet:
        """Generate a set of images."""
        call = Call("POST", "/generate/set", body=request, is_repeatable=True, earlier="sets")
        return cast(OutputSet, await self._caller.json(call, key=idempotency_key))

    async def remove_background(
        self,
        request: RemoveBackgroundVideoRequest,
        *,
        idempotency_key: str | None = None,
    ) -> Job:
        """Remove the background of a video."""
        call = Call(
            "POST",
            "/remove-background/video",
            body=request,
            is_repeatable=True,
            earlier="jobs",
        )
        return cast(Job, await self._caller.json(call, key=idempotency_key))

    async def restore_video(
        self,
        request: RestoreVideoRequest,
        *,
        idempotency_key: str | None = None,
    ) -> Job:
        """Restore and upscale a video."""
        call = Call("POST", "/restore/video", body=request, is_repeatable=True, earlier="jobs")
        return cast(Job, await self._caller.json(call, key=idempotency_key))

    async def enhance_prompt(self, request: EnhancePromptRequest) -> EnhancedPrompt:
        """Rewrite a video prompt for its target model."""
        call = Call("POST", "/generate/video/enhance-prompt", body=request)
        return cast(EnhancedPrompt, await self._caller.json(call))


class JobsCalls:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def get(self, id: str) -> Job:
        """Read a job."""
        call = Call("GET", f"/jobs/{segment(id)}", is_repeatable=True)
        return cast(Job, await self._caller.json(call))

    async def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        status: str | None = None,
        modality: str | None = None,
        model: str | None = None,
        tag: str | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        set_id: str | None = None,
        agent_session_id: str | None = None,
        scope: str | None = None,
    ) -> JobPage:
        """List jobs, newest first."""
        call = Call(
            "GET",
            "/jobs",
            query={
                "limit": limit,
                "cursor": cursor,
                "status": status,
                "modality": modality,
                "model": model,
                "tag": tag,
                "created_after": created_after,
                "created_before": created_before,
                "set_id": set_id,
                "agent_session_id": agent_session_id,
                "scope": scope,
            },
            is_repeatable=True,
        )
        return cast(JobPage, await self._caller.json(call))

    async def quote(self, request: JobCostRequest) -> JobCostQuote:
        """Quote a submit."""
        call = Call("POST", "/jobs/cost", body=request, is_repeatable=True)
        return cast(JobCostQuote, await self._caller.json(call))

    async def cancel(self, id: str) -> Job:
        """Cancel a job."""
        call = Call("POST", f"/jobs/{segment(id)}/cancel", is_repeatable=True)
        return cast(Job, await self._caller.json(call))

    async def cancel_many(self, request: JobsCancelManyRequest | None = None) -> CanceledJobs:
        """Cancel many jobs."""
        call = Call("POST", "/jobs:cancel", body={} if request is None else request)
        return cast(CanceledJobs, await self._caller.json(call))

    async def delete(self, id: str) -> None:
        """Delete a job that has ended, its prompt and its assets."""
        call = Call("DELETE", f"/jobs/{segment(id)}")
        await self._caller.end(call)

    async def history(self, id: str) -> JobEvents:
        """Read a job's history, oldest first."""
        call = Call("GET", f"/jobs/{segment(id)}/events", is_repeatable=True)
        return cast(JobEvents, await self._caller.json(call))

    async def ticket(self, id: str) -> SseTicket:
        """Mint a ticket for one event stream of a job."""
        call = Call("POST", f"/jobs/{segment(id)}/sse-ticket", is_repeatable=True)
        return cast(SseTicket, await self._caller.json(call))


class SetsCalls:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def get(self, id: str) -> OutputSet:
        """Read an output set."""
        call = Call("GET", f"/sets/{segment(id)}", is_repeatable=True)
        return cast(OutputSet, await self._caller.json(call))

    async def list(self, *, limit: int | None = None, cursor: str | None = None) -> OutputSetPage:
        """List output sets, newest first."""
        call = Call("GET", "/sets", query={"limit": limit, "cursor": cursor}, is_repeatable=True)
        return cast(OutputSetPage, await self._caller.json(call))

    async def cancel(self, id: str) -> OutputSet:
        """Cancel the members of a set that have not ended."""
        call = Call("POST", f"/sets/{segment(id)}/cancel", is_repeatable=True)
        return cast(OutputSet, await self._caller.json(call))


class AssetsCalls:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def get(self, id: str) -> Asset:
        """Read an asset, with a fresh link."""
        call = Call("GET", f"/assets/{segment(id)}", is_repeatable=True)
        return cast(Asset, await self._caller.json(call))

    async def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        modality: str | None = None,
        status: str | None = None,
        favorite: bool | None = None,
        tag: str | None = None,
        source: str | None = None,
        q: str | None = None,
    ) -> AssetPage:
        """List assets, newest first."""
        call = Call(
            "GET",
            "/assets",
            query={
                "limit": limit,
                "cursor": cursor,
                "modality": modality,
                "status": status,
                "favorite": favorite,
                "tag": tag,
                "source": source,
                "q": q,
            },
            is_repeatable=True,
        )
        return cast(AssetPage, await self._caller.json(call))

    async def update(self, id: str, request: AssetPatchRequest | None = None) -> Asset:
        """Rename, tag or favorite an asset."""
        call = Call("PATCH", f"/assets/{segment(id)}", body={} if request is None else request)
        return cast(Asset, await self._caller.json(call))

    async def delete(self, id: str, *, permanent: bool | None = None) -> None:
        """Move an asset to the trash, or delete it for good."""
        call = Call("DELETE", f"/assets/{segment(id)}", query={"permanent": permanent})
        await self._caller.end(call)

    async def restore(self, id: str) -> Asset:
        """Restore an asset from the trash."""
        call = Call("POST", f"/assets/{segment(id)}/restore")
        return cast(Asset, await self._caller.json(call))


class UploadsCalls:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def begin(self, request: CreateUploadRequest) -> Upload:
        """Plan an upload."""
        call = Call("POST", "/assets/uploads", body=request)
        return cast(Upload, await self._caller.json(call))

    async def get(self, id: str) -> Upload:
        """Read an upload and the list of its stored parts."""
        call = Call("GET", f"/assets/uploads/{segment(id)}", is_repeatable=True)
        return cast(Upload, await self._caller.json(call))

    async def parts(self, id: str, request: UploadPartsRequest) -> UploadParts:
        """Sign fresh URLs for parts of an upload."""
        call = Call(
            "POST",
            f"/assets/uploads/{segment(id)}/parts",
            body=request,
            is_repeatable=True,
        )
        return cast(UploadParts, await self._caller.json(call))

    async def complete(self, id: str, request: CompleteUploadRequest | None = None) -> Asset:
        """Join the parts of an upload."""
        call = Call(
            "POST",
            f"/assets/uploads/{segment(id)}/complete",
            body={} if request is None else request,
            is_repeatable=True,
        )
        return cast(Asset, await self._caller.json(call))

    async def abort(self, id: str) -> None:
        """Abort an upload."""
        call = Call("DELETE", f"/assets/uploads/{segment(id)}")
        await self._caller.end(call)


class CompositionsCalls:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def create(self, request: CreateCompositionRequest | None = None) -> Composition:
        """Create a composition."""
        call = Call("POST", "/compositions", body={} if request is None else request)
        return cast(Composition, await self._caller.json(call))

    async def get(self, id: str) -> Composition:
        """Read a composition with its files."""
        call = Call("GET", f"/compositions/{segment(id)}", is_repeatable=True)
        return cast(Composition, await self._caller.json(call))

    async def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        series: str | None = None,
        q: str | None = None,
    ) -> CompositionPage:
        """List compositions, newest first."""
        call = Call(
            "GET",
            "/compositions",
            query={"limit": limit, "cursor": cursor, "series": series, "q": q},
            is_repeatable=True,
        )
        return cast(CompositionPage, await self._caller.json(call))

    async def update(
        self,
        id: str,
        request: PatchCompositionRequest | None = None,
        *,
        if_match: str | None = None,
    ) -> Composition:
        """Change a composition's name, description, project or metadata."""
        call = Call(
            "PATCH",
            f"/compositions/{segment(id)}",
            body={} if request is None else request,
        )
        return cast(Composition, await self._caller.json(call, match=if_match))

    async def delete(
        self,
        id: str,
        *,
        force: bool | None = None,
        if_match: str | None = None,
    ) -> None:
        """Delete a composition and all its files."""
        call = Call("DELETE", f"/compositions/{segment(id)}", query={"force": force})
        await self._caller.end(call, match=if_match)

    async def clone(self, id: str, request: CloneCompositionRequest | None = None) -> Composition:
        """Copy a composition without its edits."""
        call = Call(
            "POST",
            f"/compositions/{segment(id)}/clone",
            body={} if request is None else request,
        )
        return cast(Composition, await self._caller.json(call))

    async def timeline(self, id: str) -> EffectiveTimeline:
        """Read the effective timeline of a composition."""
        call = Call("GET", f"/compositions/{segment(id)}/timeline", is_repeatable=True)
        return cast(EffectiveTimeline, await self._caller.json(call))

    async def get_file(self, id: str, path: str, *, if_match: str | None = None) -> Response:
        """Read a file of a composition."""
        call = Call(
            "GET",
            f"/compositions/{segment(id)}/file",
            query={"path": path},
            is_repeatable=True,
        )
        return await self._caller.open(call, match=if_match)

    async def put_file(
        self,
        id: str,
        path: str,
        file: bytes | str | os.PathLike[str],
        *,
        if_match: str | None = None,
    ) -> CompositionFile:
        """Upload or overwrite a file of a composition."""
        call = Call(
            "PUT",
            f"/compositions/{segment(id)}/file",
            query={"path": path},
            bytes=[Source(file).whole()],
            media_type="application/octet-stream",
            is_repeatable=True,
        )
        return cast(CompositionFile, await self._caller.json(call, match=if_match))

    async def delete_file(self, id: str, path: str, *, if_match: str | None = None) -> None:
        """Delete a file of a composition."""
        call = Call("DELETE", f"/compositions/{segment(id)}/file", query={"path": path})
        await self._caller.end(call, match=if_match)

    async def replace_bundle(self, id: str, file: bytes | str | os.PathLike[str]) -> Composition:
        """Replace all files of a composition with those of a ZIP archive."""
        call = Call(
            "POST",
            f"/compositions/{segment(id)}/bundle",
            bytes=[Source(file).whole()],
            media_type="application/zip",
            is_repeatable=True,
        )
        return cast(Composition, await self._caller.json(call))

    async def signed_urls(self, id: str, request: SignedUrlsRequest | None = None) -> SignedUrls:
        """Sign links to files of a composition and to assets."""
        call = Call(
            "POST",
            f"/compositions/{segment(id)}/files:signed-urls",
            body={} if request is None else request,
            is_repeatable=True,
        )
        return cast(SignedUrls, await self._caller.json(call))

    async def preview(self, id: str) -> Preview:
        """Mint a link to the preview of a composition's current revision."""
        call = Call("POST", f"/compositions/{segment(id)}/preview")
        return cast(Preview, await self._caller.json(call))

    async def render(
        self,
        id: str,
        request: RenderRequest | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> Render:
        """Render a composition to a film or a still."""
        call = Call(
            "POST",
            f"/compositions/{segment(id)}/render",
            body={} if request is None else request,
            is_repeatable=True,
            earlier="renders",
        )
        return cast(Render, await self._caller.json(call, key=idempotency_key))

    async def renders(self, id: str) -> RenderList:
        """List the renders of a composition, newest first."""
        call = Call("GET", f"/compositions/{segment(id)}/renders", is_repeatable=True)
        return cast(RenderList, await self._caller.json(call))

    async def export(self, id: str, format: Literal["fcpxml", "aejsx"]) -> Response:
        """Export a composition's timeline for a desktop editor."""
        call = Call(
            "GET",
            f"/compositions/{segment(id)}/export",
            query={"format": format},
            is_repeatable=True,
        )
        return await self._caller.open(call)

    async def import_figma(self, id: str, request: FigmaImportRequest) -> FigmaImport:
        """Import a frame of a design as texts and pictures."""
        call = Call("POST", f"/compositions/{segment(id)}/imports/figma", body=request)
        return cast(FigmaImport, await self._caller.json(call))


class RendersCalls:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def get(self, id: str) -> Render:
        """Read a render."""
        call = Call("GET", f"/renders/{segment(id)}", is_repeatable=True)
        return cast(Render, await self._caller.json(call))

    async def cancel(self, id: str) -> Render:
        """Cancel a render."""
        call = Call("POST", f"/renders/{segment(id)}/cancel", is_repeatable=True)
        return cast(Render, await self._caller.json(call))

    async def blocks(
        self,
        request: BlocksRequest,
        *,
        idempotency_key: str | None = None,
    ) -> Render:
        """Put clips and narrations one after the other into a film."""
        call = Call("POST", "/renders/blocks", body=request, is_repeatable=True, earlier="renders")
        return cast(Render, await self._caller.json(call, key=idempotency_key))

    async def ticket(self, id: str) -> SseTicket:
        """Mint a ticket for one event stream of a render."""
        call = Call("POST", f"/renders/{segment(id)}/sse-ticket", is_repeatable=True)
        return cast(SseTicket, await self._caller.json(call))


class SharesCalls:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def create(
        self,
        target: Literal["renders", "assets"],
        id: str,
        request: CreateShareRequest | None = None,
    ) -> ShareLink:
        """Make a share link of a render."""
        call = Call(
            "POST",
            f"/{segment(target)}/{segment(id)}/share",
            body={} if request is None else request,
        )
        return cast(ShareLink, await self._caller.json(call))

    async def list(self, target: Literal["renders", "assets"], id: str) -> ShareList:
        """List the active share links of a render, newest first."""
        call = Call("GET", f"/{segment(target)}/{segment(id)}/share", is_repeatable=True)
        return cast(ShareList, await self._caller.json(call))

    async def revoke(self, target: Literal["renders", "assets"], id: str, token: str) -> None:
        """Revoke a share link of a render, by its token or its id."""
        call = Call("DELETE", f"/{segment(target)}/{segment(id)}/share/{segment(token)}")
        await self._caller.end(call)

    async def resolve(self, token: str) -> ShareResolution:
        """Show what a share link leads to; a page for browsers."""
        call = Call("GET", f"/share/{segment(token)}", is_repeatable=True)
        return cast(ShareResolution, await self._caller.json(call))

    async def unlock(self, token: str, request: SharePassword) -> ShareResolution:
        """Submit the password of a share link."""
        call = Call("POST", f"/share/{segment(token)}", body=request)
        return cast(ShareResolution, await self._caller.json(call))


class ModelsCalls:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def get(self, id: str) -> Model:
        """Read a model."""
        call = Call("GET", f"/models/{segment(id)}", is_repeatable=True)
        return cast(Model, await self._caller.json(call))

    async def list(
        self,
        *,
        modality: str | None = None,
        operation: str | None = None,
        include_disabled: bool | None = None,
    ) -> ModelPage:
        """List the models, with limits, options and prices."""
        call = Call(
            "GET",
            "/models",
            query={
                "modality": modality,
                "operation": operation,
                "include_disabled": include_disabled,
            },
            is_repeatable=True,
        )
        return cast(ModelPage, await self._caller.json(call))


class CreditsCalls:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def get(self) -> Credits:
        """Read what the paying context can still spend."""
        call = Call("GET", "/me/credits", is_repeatable=True)
        return cast(Credits, await self._caller.json(call))

    async def ledger(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
    ) -> LedgerPage:
        """List what changed the balance, newest first."""
        call = Call(
            "GET",
            "/me/credits/ledger",
            query={
                "limit": limit,
                "cursor": cursor,
                "created_after": created_after,
                "created_before": created_before,
            },
            is_repeatable=True,
        )
        return cast(LedgerPage, await self._caller.json(call))

    async def spend(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        group_by: Literal["day", "model", "user", "modality", "surface", "session"] | None = None,
    ) -> SpendReport:
        """Report what the context was charged for jobs."""
        call = Call(
            "GET",
            "/reports/spend",
            query={"from": from_, "to": to, "group_by": group_by},
            is_repeatable=True,
        )
        return cast(SpendReport, await self._caller.json(call))


class TokensCalls:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def create(self, request: CreateTokenRequest) -> CreatedToken:
        """Create a personal access token."""
        call = Call("POST", "/tokens", body=request)
        return cast(CreatedToken, await self._caller.json(call))

    async def list(self) -> TokenList:
        """List the account's active personal access tokens."""
        call = Call("GET", "/tokens", is_repeatable=True)
        return cast(TokenList, await self._caller.json(call))

    async def revoke(self, id: str) -> None:
        """Revoke a personal access token."""
        call = Call("DELETE", f"/tokens/{segment(id)}")
        await self._caller.end(call)


class OrganizationsCalls:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def create(self, request: OrganizationsCreateRequest) -> Organization:
        """Create an organization; its creator becomes owner."""
        call = Call("POST", "/organizations", body=request)
        return cast(Organization, await self._caller.json(call))

    async def get(self, id: str) -> Organization:
        """Read an organization."""
        call = Call("GET", f"/organizations/{segment(id)}", is_repeatable=True)
        return cast(Organization, await self._caller.json(call))

    async def list(self) -> OrganizationList:
        """List the organizations that the account belongs to."""
        call = Call("GET", "/organizations", is_repeatable=True)
        return cast(OrganizationList, await self._caller.json(call))

    async def update(
        self,
        id: str,
        request: OrganizationsUpdateRequest | None = None,
    ) -> Organization:
        """Rename an organization."""
        call = Call(
            "PATCH",
            f"/organizations/{segment(id)}",
            body={} if request is None else request,
        )
        return cast(Organization, await self._caller.json(call))

    async def delete(self, id: str) -> None:
        """Delete an organization."""
        call = Call("DELETE", f"/organizations/{segment(id)}")
        await self._caller.end(call)

    async def activate(self, request: OrganizationsActivateRequest) -> User:
        """Choose the organization that unpinned tokens act in, or none."""
        call = Call("PUT", "/me/active-organization", body=request, is_repeatable=True)
        return cast(User, await self._caller.json(call))

    async def members(self, id: str) -> MemberList:
        """List the members of an organization."""
        call = Call("GET", f"/organizations/{segment(id)}/members", is_repeatable=True)
        return cast(MemberList, await self._caller.json(call))

    async def add_member(self, id: str, request: OrganizationsAddMemberRequest) -> Member:
        """Add an account to an organization, creating one if the address has none."""
        call = Call("POST", f"/organizations/{segment(id)}/members", body=request)
        return cast(Member, await self._caller.json(call))

    async def update_member(
        self,
        id: str,
        user_id: str,
        request: OrganizationsUpdateMemberRequest,
    ) -> Member:
        """Give a member another role."""
        call = Call(
            "PATCH",
            f"/organizations/{segment(id)}/members/{segment(user_id)}",
            body=request,
        )
        return cast(Member, await self._caller.json(call))

    async def remove_member(self, id: str, user_id: str) -> None:
        """Remove a member, or leave."""
        call = Call("DELETE", f"/organizations/{segment(id)}/members/{segment(user_id)}")
        await self._caller.end(call)

    async def set_budget(
        self,
        id: str,
        user_id: str,
        request: OrganizationsSetBudgetRequest,
    ) -> MemberBudget:
        """Limit how much of the organization's credits a member may commit."""
        call = Call(
            "PUT",
            f"/organizations/{segment(id)}/members/{segment(user_id)}/budget",
            body=request,
            is_repeatable=True,
        )
        return cast(MemberBudget, await self._caller.json(call))

    async def remove_budget(self, id: str, user_id: str) -> None:
        """Lift a member's budget."""
        call = Call("DELETE", f"/organizations/{segment(id)}/members/{segment(user_id)}/budget")
        await self._caller.end(call)

    async def usage(
        self,
        id: str,
        *,
        from_: str | None = None,
        to: str | None = None,
        group_by: Literal["day", "model", "user", "modality", "surface", "session"] | None = None,
    ) -> SpendReport:
        """Report what an organization was charged for jobs."""
        call = Call(
            "GET",
            f"/organizations/{segment(id)}/usage",
            query={"from": from_, "to": to, "group_by": group_by},
            is_repeatable=True,
        )
        return cast(SpendReport, await self._caller.json(call))


class AgentsCalls:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def create_session(self, request: CreateSessionRequest | None = None) -> AgentSession:
        """Open an agent session."""
        call = Call("POST", "/agent/sessions", body={} if request is None else request)
        return cast(AgentSession, await self._caller.json(call))

    async def get_session(self, id: str) -> AgentSession:
        """Read an agent session with its last turns."""
        call = Call("GET", f"/agent/sessions/{segment(id)}", is_repeatable=True)
        return cast(AgentSession, await self._caller.json(call))

    async def list_sessions(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> AgentSessionPage:
        """List the caller's agent sessions, newest first."""
        call = Call(
            "GET",
            "/agent/sessions",
            query={"limit": limit, "cursor": cursor},
            is_repeatable=True,
        )
        return cast(AgentSessionPage, await self._caller.json(call))

    async def end_session(self, id: str) -> None:
        """Delete an agent session; a running turn ends first."""
        call = Call("DELETE", f"/agent/sessions/{segment(id)}")
        await self._caller.end(call)

    async def start_turn(self, id: str, request: CreateTurnRequest) -> AgentTurn:
        """Start a turn, with a credential for the agent."""
        call = Call("POST", f"/agent/sessions/{segment(id)}/turns", body=request)
        return cast(AgentTurn, await self._caller.json(call))

    async def get_turn(self, id: str, turn_id: str) -> AgentTurn:
        """Read a turn."""
        call = Call(
            "GET",
            f"/agent/sessions/{segment(id)}/turns/{segment(turn_id)}",
            is_repeatable=True,
        )
        return cast(AgentTurn, await self._caller.json(call))

    async def finish_turn(self, id: str, turn_id: str, request: FinishTurnRequest) -> AgentTurn:
        """End a turn, with its own credential or the owner's."""
        call = Call(
            "POST",
            f"/agent/sessions/{segment(id)}/turns/{segment(turn_id)}/finish",
            body=request,
        )
        return cast(AgentTurn, await self._caller.json(call))

    async def set_ceiling(
        self,
        id: str,
        turn_id: str,
        request: CeilingRequest | None = None,
    ) -> AgentTurn:
        """Approve a new price for a running turn."""
        call = Call(
            "POST",
            f"/agent/sessions/{segment(id)}/turns/{segment(turn_id)}/ceiling",
            body={} if request is None else request,
        )
        return cast(AgentTurn, await self._caller.json(call))

    async def interrupt(self, id: str, request: InterruptRequest | None = None) -> AgentTurn:
        """Stop the running turn; its jobs continue."""
        call = Call(
            "POST",
            f"/agent/sessions/{segment(id)}/interrupt",
            body={} if request is None else request,
        )
        return cast(AgentTurn, await self._caller.json(call))

    async def ticket(self, id: str) -> SseTicket:
        """Mint a ticket for one event stream of a session."""
        call = Call("POST", f"/agent/sessions/{segment(id)}/events-ticket", is_repeatable=True)
        return cast(SseTicket, await self._caller.json(call))


class OauthCalls:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def create_client(self, request: OauthCreateClientRequest) -> CreatedClient:
        """Create an OAuth client that acts as its creator in this context."""
        call = Call("POST", "/oauth/clients", body=request)
        return cast(CreatedClient, await self._caller.json(call))

    async def list_clients(self) -> ClientList:
        """List the OAuth clients of the context."""
        call = Call("GET", "/oauth/clients", is_repeatable=True)
        return cast(ClientList, await self._caller.json(call))

    async def delete_client(self, id: str) -> None:
        """Delete an OAuth client and its access tokens."""
        call = Call("DELETE", f"/oauth/clients/{segment(id)}")
        await self._caller.end(call)

    async def approve_device(self, request: OauthApproveDeviceRequest) -> None:
        """Approve or deny a device by its user code."""
        call = Call("POST", "/oauth/device/approve", body=request)
        await self._caller.end(call)


class AdminCalls:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def overview(self) -> AdminOverview:
        """Read what was done in each minute of the last hour, and what is open now."""
        call = Call("GET", "/admin/overview", is_repeatable=True)
        return cast(AdminOverview, await self._caller.json(call))

    async def tasks(self) -> AdminTaskList:
        """List the tasks that farm nodes hold, and count those that wait."""
        call = Call("GET", "/admin/tasks", is_repeatable=True)
        return cast(AdminTaskList, await self._caller.json(call))

    async def task_thumbnail(self, id: str) -> Response:
        """A picture of what a farm node is about to make."""
        call = Call("GET", f"/admin/tasks/{segment(id)}/thumbnail", is_repeatable=True)
        return await self._caller.open(call)

    async def failures(self, *, hours: int | None = None) -> AdminFailureList:
        """Group the jobs that failed in the last hours by reason."""
        call = Call("GET", "/admin/failures", query={"hours": hours}, is_repeatable=True)
        return cast(AdminFailureList, await self._caller.json(call))

    async def accounts(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> AdminAccountPage:
        """List all accounts, newest first."""
        call = Call(
            "GET",
            "/admin/accounts",
            query={"limit": limit, "cursor": cursor},
            is_repeatable=True,
        )
        return cast(AdminAccountPage, await self._caller.json(call))

    async def create_account(self, request: CreateAccountRequest) -> CreatedAccount:
        """Create an account and, on request, its first token."""
        call = Call("POST", "/admin/accounts", body=request)
        return cast(CreatedAccount, await self._caller.json(call))

    async def update_account(
        self,
        id: str,
        request: AdminUpdateAccountRequest | None = None,
    ) -> AdminAccount:
        """Change an account's plan, standing or limits."""
        call = Call(
            "PATCH",
            f"/admin/accounts/{segment(id)}",
            body={} if request is None else request,
        )
        return cast(AdminAccount, await self._caller.json(call))

    async def create_token(
        self,
        id: str,
        request: AdminCreateTokenRequest | None = None,
    ) -> CreatedToken:
        """Issue a token for an account."""
        call = Call(
            "POST",
            f"/admin/accounts/{segment(id)}/tokens",
            body={} if request is None else request,
        )
        return cast(CreatedToken, await self._caller.json(call))

    async def give_credits(self, id: str, request: AdminGiveCreditsRequest) -> CreditsGiven:
        """Grant an account credits, or take them back."""
        call = Call("POST", f"/admin/accounts/{segment(id)}/credits", body=request)
        return cast(CreditsGiven, await self._caller.json(call))

    async def update_organization(
        self,
        id: str,
        request: AdminUpdateOrganizationRequest | None = None,
    ) -> AdminOrganization:
        """Change an organization's plan, standing or limits."""
        call = Call(
            "PATCH",
            f"/admin/organizations/{segment(id)}",
            body={} if request is None else request,
        )
        return cast(AdminOrganization, await self._caller.json(call))

    async def give_organization_credits(
        self,
        id: str,
        request: AdminGiveOrganizationCreditsRequest,
    ) -> CreditsGiven:
        """Grant an organization credits, or take them back."""
        call = Call("POST", f"/admin/organizations/{segment(id)}/credits", body=request)
        return cast(CreditsGiven, await self._caller.json(call))

    async def jobs(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        status: str | None = None,
        modality: str | None = None,
        model: str | None = None,
        user_id: str | None = None,
    ) -> AdminJobPage:
        """List the jobs of all accounts, newest first."""
        call = Call(
            "GET",
            "/admin/jobs",
            query={
                "limit": limit,
                "cursor": cursor,
                "status": status,
                "modality": modality,
                "model": model,
                "user_id": user_id,
            },
            is_repeatable=True,
        )
        return cast(AdminJobPage, await self._caller.json(call))

    async def requeue_read(self, id: str) -> ReadRequeued:
        """Read a job's state from its provider now."""
        call = Call("POST", f"/admin/jobs/{segment(id)}/requeue-read")
        return cast(ReadRequeued, await self._caller.json(call))

    async def providers(self) -> AdminProviderList:
        """List the providers, with their state and work."""
        call = Call("GET", "/admin/providers", is_repeatable=True)
        return cast(AdminProviderList, await self._caller.json(call))

    async def pause_provider(self, name: str) -> AdminProvider:
        """Pause a provider, so that its jobs wait."""
        call = Call("POST", f"/admin/providers/{segment(name)}:pause", is_repeatable=True)
        return cast(AdminProvider, await self._caller.json(call))

    async def resume_provider(self, name: str) -> AdminProvider:
        """Resume a paused provider."""
        call = Call("POST", f"/admin/providers/{segment(name)}:resume", is_repeatable=True)
        return cast(AdminProvider, await self._caller.json(call))

    async def nodes(self) -> AdminNodeList:
        """List the nodes, with their shards and tasks."""
        call = Call("GET", "/admin/nodes", is_repeatable=True)
        return cast(AdminNodeList, await self._caller.json(call))

    async def drain_node(self, id: str) -> AdminNode:
        """Let a node hand over its shards, or take no more tasks."""
        call = Call("POST", f"/admin/nodes/{segment(id)}:drain", is_repeatable=True)
        return cast(AdminNode, await self._caller.json(call))

    async def invariants(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> InvariantPage:
        """Check the credits and counts of all accounts, page by page."""
        call = Call(
            "GET",
            "/admin/invariants",
            query={"limit": limit, "cursor": cursor},
            is_repeatable=True,
        )
        return cast(InvariantPage, await self._caller.json(call))

    async def audit(self, *, limit: int | None = None, cursor: str | None = None) -> AuditPage:
        """List who changed what, newest first."""
        call = Call(
            "GET",
            "/admin/audit",
            query={"limit": limit, "cursor": cursor},
            is_repeatable=True,
        )
        return cast(AuditPage, await self._caller.json(call))

    async def reload_models(self) -> CatalogueLoaded:
        """Reload the model catalogue and the providers."""
        call = Call("POST", "/admin/models:reload")
        return cast(CatalogueLoaded, await self._caller.json(call))
