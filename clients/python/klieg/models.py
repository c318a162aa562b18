"""What the service takes and answers.

Written by clients/generator from the published contract; do not edit it.
"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, NotRequired, TypeAlias, TypedDict, Union


class ProblemErrorsItem(TypedDict):
    pointer: str
    detail: str


class Problem(TypedDict):
    type: str
    title: str
    status: int
    code: NotRequired[str]
    detail: NotRequired[str]
    instance: NotRequired[str]
    request_id: NotRequired[str]
    job_id: NotRequired[str]
    job_status: NotRequired[str]
    set_id: NotRequired[str]
    render_id: NotRequired[str]
    required_scope: NotRequired[str]
    required_role: NotRequired[str]
    required_plan: NotRequired[str]
    credits_required: NotRequired[int]
    balance_credits: NotRequired[int]
    budget_credits: NotRequired[int]
    budget_used_credits: NotRequired[int]
    budget_resets_at: NotRequired[str | None]
    run_total_credits: NotRequired[int]
    credit_ceiling: NotRequired[int]
    reason: NotRequired[str]
    concurrent_max: NotRequired[int]
    concurrent_active: NotRequired[int]
    quota: NotRequired[int]
    used: NotRequired[int]
    limit_bytes: NotRequired[int]
    errors: NotRequired[List[ProblemErrorsItem]]

Modality: TypeAlias = 'Literal["image", "video", "audio", "three_d"]'

JobStatus: TypeAlias = 'Literal["queued", "running", "succeeded", "failed", "canceled"]'


class Asset(TypedDict):
    id: str
    signed_url: str
    expires_at: str
    mime_type: str
    width: NotRequired[int | None]
    height: NotRequired[int | None]
    duration_seconds: NotRequired[float | None]
    has_audio: NotRequired[bool | None]
    thumbnail_url: NotRequired[str | None]
    enhanced_prompt: NotRequired[str | None]
    created_at: str
    display_name: str
    favorite: bool
    modality: NotRequired[Modality]
    model: str
    prompt: str
    size_bytes: int
    status: Literal["pending_upload", "processing", "ready", "failed", "trashed"]
    tags: List[str]
    user_id: str
    source: Literal["generation", "upload", "render", "import"]
    job_id: NotRequired[str | None]
    render_id: NotRequired[str | None]
    checksum_sha256: NotRequired[str | None]
    frame_rate: NotRequired[float | None]
    trashed_at: NotRequired[str | None]
    failure_reason: NotRequired[str | None]


class JobFailure(TypedDict):
    code: NotRequired[str]
    kind: Literal["error", "moderated", "timeout"]
    message: str
    credits_refunded: NotRequired[bool | None]


class Cancellation(TypedDict):
    stage: Literal["before_submit", "submitting", "provider_queued", "provider_running"]
    provider_cancel: NotRequired[Literal[
        "cancelled",
        "stopped_partway",
        "requested",
        "refused",
        "unsupported",
        "failed",
    ] | None]
    settlement: Literal["refunded", "partially_refunded", "pending", "charged"]
    message: str
    credits_refunded: NotRequired[int | None]
    credits_charged: NotRequired[int | None]
    requested_at: str
    settled_at: NotRequired[str | None]
    canceled_by: str


class Job(TypedDict):
    id: str
    modality: Modality
    model: str
    status: JobStatus
    status_detail: NotRequired[str | None]
    status_message: NotRequired[str | None]
    asset: NotRequired[Asset]
    assets: NotRequired[List[Asset]]
    error: NotRequired[Problem]
    failure: NotRequired[JobFailure]
    warnings: NotRequired[List[str]]
    cancellation: NotRequired[Cancellation]
    progress: NotRequired[float | None]
    created_at: str
    updated_at: str
    started_at: NotRequired[str | None]
    completed_at: NotRequired[str | None]
    user_id: str
    set_id: NotRequired[str | None]
    agent_session_id: NotRequired[str | None]
    parent_job_id: NotRequired[str | None]
    credits_held: int
    credits_charged: NotRequired[int | None]
    surface: NotRequired[str | None]
    summary: str
    request: NotRequired[Dict[str, Any]]


class GenerateImageRequest(TypedDict):
    model: str
    num_images: NotRequired[int]
    prompt: NotRequired[str]
    negative_prompt: NotRequired[str]
    aspect_ratio: NotRequired[str]
    resolution: NotRequired[str]
    width: NotRequired[int]
    height: NotRequired[int]
    quality: NotRequired[str]
    reference_asset_ids: NotRequired[List[str]]
    mask_asset_id: NotRequired[str]
    seed: NotRequired[int]
    output_format: NotRequired[Literal["png", "jpeg", "webp"]]
    background: NotRequired[Literal["opaque", "transparent", "auto"]]
    enhance_prompt: NotRequired[bool]
    display_name: NotRequired[str]
    tags: NotRequired[List[str]]
    provider_options: NotRequired[Dict[str, Any]]
    confirmation_token: NotRequired[str]


class GenerateVideoRequest(TypedDict):
    model: str
    prompt: NotRequired[str]
    negative_prompt: NotRequired[str]
    duration_seconds: NotRequired[int]
    aspect_ratio: NotRequired[str]
    resolution: NotRequired[str]
    quality: NotRequired[str]
    first_frame_asset_id: NotRequired[str]
    last_frame_asset_id: NotRequired[str]
    reference_asset_ids: NotRequired[List[str]]
    source_video_asset_id: NotRequired[str]
    audio: NotRequired[bool]
    camera_motion: NotRequired[str]
    fps: NotRequired[int]
    seed: NotRequired[int]
    enhance_prompt: NotRequired[bool]
    display_name: NotRequired[str]
    tags: NotRequired[List[str]]
    provider_options: NotRequired[Dict[str, Any]]
    confirmation_token: NotRequired[str]


class GenerateAudioRequest(TypedDict):
    model: str
    task: NotRequired[Literal["speech", "music", "sound_effect"]]
    text: NotRequired[str]
    prompt: NotRequired[str]
    voice: NotRequired[str]
    language: NotRequired[str]
    duration_seconds: NotRequired[int]
    lyrics: NotRequired[str]
    speed: NotRequired[float]
    reference_asset_id: NotRequired[str]
    output_format: NotRequired[Literal["mp3", "wav", "flac", "ogg"]]
    seed: NotRequired[int]
    display_name: NotRequired[str]
    tags: NotRequired[List[str]]
    provider_options: NotRequired[Dict[str, Any]]
    confirmation_token: NotRequired[str]


class Generate3DRequest(TypedDict):
    model: str
    image_asset_ids: List[str]
    prompt: NotRequired[str]
    texture: NotRequired[bool]
    target_polycount: NotRequired[int]
    output_format: NotRequired[Literal["glb", "gltf"]]
    seed: NotRequired[int]
    display_name: NotRequired[str]
    tags: NotRequired[List[str]]
    provider_options: NotRequired[Dict[str, Any]]
    confirmation_token: NotRequired[str]


class RemoveBackgroundVideoRequest(TypedDict):
    model: NotRequired[str]
    source_asset_id: str
    background: NotRequired[Literal["transparent", "color"]]
    background_color: NotRequired[str]
    output_format: NotRequired[Literal["webm", "mov", "mp4"]]
    display_name: NotRequired[str]
    tags: NotRequired[List[str]]
    confirmation_token: NotRequired[str]


class RestoreVideoRequest(TypedDict):
    model: NotRequired[str]
    source_asset_id: str
    scale: NotRequired[Literal[1, 2, 4]]
    target_resolution: NotRequired[Literal["720p", "1080p", "1440p", "4k"]]
    denoise: NotRequired[float]
    sharpen: NotRequired[float]
    target_fps: NotRequired[int]
    display_name: NotRequired[str]
    tags: NotRequired[List[str]]
    confirmation_token: NotRequired[str]


class EnhancedPrompt(TypedDict):
    prompt: str
    original_prompt: str
    model: str
    credits_charged: int
    balance_credits: NotRequired[int | None]


class EnhancePromptRequest(TypedDict):
    prompt: str
    model: str
    duration_seconds: NotRequired[int]
    aspect_ratio: NotRequired[str]
    first_frame_asset_id: NotRequired[str]


class JobCostSetting(TypedDict):
    label: str
    value: str


class JobCostQuote(TypedDict):
    kind: Literal[
        "image",
        "video",
        "audio",
        "three_d",
        "set",
        "video_background_removal",
        "video_restoration",
    ]
    model: str
    credits: int
    basis: Literal["one_generation", "set_run"]
    members: NotRequired[int | None]
    duration_seconds: NotRequired[int | None]
    quality: NotRequired[str | None]
    settings: List[JobCostSetting]
    balance_credits: NotRequired[int | None]
    sufficient_credits: bool
    confirmation_token: str
    expires_at: str


class SetMemberOverrides(TypedDict):
    prompt: NotRequired[str]
    negative_prompt: NotRequired[str]
    aspect_ratio: NotRequired[str]
    resolution: NotRequired[str]
    width: NotRequired[int]
    height: NotRequired[int]
    quality: NotRequired[str]
    reference_asset_ids: NotRequired[List[str]]
    mask_asset_id: NotRequired[str]
    seed: NotRequired[int]
    output_format: NotRequired[Literal["png", "jpeg", "webp"]]
    background: NotRequired[Literal["opaque", "transparent", "auto"]]
    enhance_prompt: NotRequired[bool]
    display_name: NotRequired[str]
    tags: NotRequired[List[str]]
    provider_options: NotRequired[Dict[str, Any]]


class SetMember(TypedDict):
    label: str
    prompt: NotRequired[str]
    prompt_suffix: NotRequired[str]
    overrides: NotRequired[SetMemberOverrides]


class GenerateSetRequestBase(TypedDict):
    model: str
    prompt: NotRequired[str]
    negative_prompt: NotRequired[str]
    aspect_ratio: NotRequired[str]
    resolution: NotRequired[str]
    width: NotRequired[int]
    height: NotRequired[int]
    quality: NotRequired[str]
    reference_asset_ids: NotRequired[List[str]]
    mask_asset_id: NotRequired[str]
    seed: NotRequired[int]
    output_format: NotRequired[Literal["png", "jpeg", "webp"]]
    background: NotRequired[Literal["opaque", "transparent", "auto"]]
    enhance_prompt: NotRequired[bool]
    display_name: NotRequired[str]
    tags: NotRequired[List[str]]
    provider_options: NotRequired[Dict[str, Any]]


class GenerateSetRequest(TypedDict):
    name: NotRequired[str]
    base: GenerateSetRequestBase
    members: List[SetMember]
    confirmation_token: NotRequired[str]


class JobCostRequest(TypedDict):
    kind: Literal[
        "image",
        "video",
        "audio",
        "three_d",
        "set",
        "video_background_removal",
        "video_restoration",
    ]
    image: NotRequired[GenerateImageRequest]
    video: NotRequired[GenerateVideoRequest]
    audio: NotRequired[GenerateAudioRequest]
    three_d: NotRequired[Generate3DRequest]
    set: NotRequired[GenerateSetRequest]
    video_background_removal: NotRequired[RemoveBackgroundVideoRequest]
    video_restoration: NotRequired[RestoreVideoRequest]


class OutputSetMember(TypedDict):
    label: str
    job_id: NotRequired[str | None]
    status: Literal[
        "queued",
        "running",
        "succeeded",
        "failed",
        "canceled",
        "refused",
        "not_submitted",
    ]
    asset: NotRequired[Asset]
    failure: NotRequired[JobFailure]


class OutputSetProblem(TypedDict):
    label: str
    code: NotRequired[str | None]
    status: int
    title: str
    detail: str


class OutputSetCounts(TypedDict):
    total: int
    accepted: int
    queued: int
    running: int
    succeeded: int
    failed: int
    canceled: int
    refused: int


class OutputSet(TypedDict):
    id: str
    name: str
    status: Literal["generating", "ready", "partial", "failed"]
    model: str
    members: List[OutputSetMember]
    problems: List[OutputSetProblem]
    counts: OutputSetCounts
    credits_held: int
    credits_charged: int
    credits_refunded: int
    created_at: str
    updated_at: str
    completed_at: NotRequired[str | None]
    user_id: str


class OutputSetPage(TypedDict):
    items: List[OutputSet]
    next_cursor: NotRequired[str | None]
    total: int


class JobPage(TypedDict):
    items: List[Job]
    next_cursor: NotRequired[str | None]
    total: int


class JobEventsItemsItem(TypedDict):
    at: str
    type: Literal[
        "accepted",
        "hold_placed",
        "submitted",
        "provider_status",
        "callback_received",
        "status_detail",
        "progress",
        "cancel_requested",
        "terminal",
        "settled",
    ]
    data: Dict[str, Any]


class JobEvents(TypedDict):
    items: List[JobEventsItemsItem]


class CanceledJobsResultsItem(TypedDict):
    job_id: str
    status: int
    code: NotRequired[str | None]


class CanceledJobs(TypedDict):
    results: List[CanceledJobsResultsItem]


class SseTicket(TypedDict):
    ticket: str
    expires_at: str


class JobStatusFrameData(TypedDict):
    status: JobStatus
    progress: NotRequired[float]
    status_detail: NotRequired[str]
    status_message: NotRequired[str]


class JobStatusFrame(TypedDict):
    event: Literal["status"]
    id: NotRequired[str]
    data: JobStatusFrameData


class JobSucceededFrameData(TypedDict):
    status: Literal["succeeded"]
    progress: NotRequired[float]
    asset_url: NotRequired[str]


class JobSucceededFrame(TypedDict):
    event: Literal["complete"]
    id: NotRequired[str]
    data: JobSucceededFrameData


class JobFailedFrameData(TypedDict):
    status: Literal["failed"]
    progress: NotRequired[float]
    error: NotRequired[str]
    failure_kind: NotRequired[Literal["error", "moderated", "timeout"]]
    failure_code: NotRequired[str]
    credits_refunded: NotRequired[bool | None]


class JobFailedFrame(TypedDict):
    event: Literal["complete"]
    id: NotRequired[str]
    data: JobFailedFrameData


class JobCanceledFrameData(TypedDict):
    status: Literal["canceled"]
    progress: NotRequired[float]
    error: NotRequired[str]
    credits_refunded: NotRequired[bool]


class JobCanceledFrame(TypedDict):
    event: Literal["complete"]
    id: NotRequired[str]
    data: JobCanceledFrameData


class ReconnectFrame(TypedDict):
    event: Literal["reconnect"]
    id: NotRequired[str]
    data: Dict[str, Any]

JobFrame: TypeAlias = Union[
    "JobStatusFrame",
    "JobSucceededFrame",
    "JobFailedFrame",
    "JobCanceledFrame",
    "ReconnectFrame",
]


class AssetPage(TypedDict):
    items: List[Asset]
    next_cursor: NotRequired[str | None]
    total: int


class UploadForm(TypedDict):
    file: str
    display_name: NotRequired[str]
    tags: NotRequired[str]
    checksum_sha256: NotRequired[str]


class AssetPatchRequest(TypedDict):
    display_name: NotRequired[str]
    favorite: NotRequired[bool]
    tags: NotRequired[List[str]]


class UploadUploadedPartsItem(TypedDict):
    part_number: int
    etag: str
    size_bytes: int


class UploadPartsItem(TypedDict):
    part_number: int
    url: str


class Upload(TypedDict):
    id: str
    asset_id: str
    status: Literal["pending", "completed", "aborted", "expired"]
    method: Literal["single", "multipart"]
    url: NotRequired[str]
    headers: NotRequired[Dict[str, str]]
    part_size: NotRequired[int]
    part_count: NotRequired[int]
    parts: NotRequired[List[UploadPartsItem]]
    uploaded_parts: NotRequired[List[UploadUploadedPartsItem]]
    expires_at: str


class CreateUploadRequest(TypedDict):
    filename: str
    mime_type: str
    size_bytes: int
    checksum_sha256: NotRequired[str]
    display_name: NotRequired[str]
    tags: NotRequired[List[str]]


class UploadPartsPartsItem(TypedDict):
    part_number: int
    url: str
    expires_at: str


class UploadParts(TypedDict):
    parts: List[UploadPartsPartsItem]


class UploadPartsRequest(TypedDict):
    part_numbers: List[int]


class CompleteUploadRequestPartsItem(TypedDict):
    part_number: int
    etag: str


class CompleteUploadRequest(TypedDict):
    parts: NotRequired[List[CompleteUploadRequestPartsItem]]


class CompositionFile(TypedDict):
    path: str
    size_bytes: int
    mime_type: str
    etag: str
    updated_at: str
    role: Literal["entry", "composition", "media", "edits", "other"]


class Composition(TypedDict):
    id: str
    user_id: str
    organization_id: NotRequired[str | None]
    name: str
    description: NotRequired[str | None]
    project_id: NotRequired[str | None]
    meta: Dict[str, Any]
    width: NotRequired[int | None]
    height: NotRequired[int | None]
    duration_seconds: NotRequired[float | None]
    frame_rate: float
    revision: int
    files: NotRequired[List[CompositionFile]]
    total_bytes: int
    created_at: str
    updated_at: str
    cloned_from: NotRequired[str | None]


class CompositionPage(TypedDict):
    items: List[Composition]
    next_cursor: NotRequired[str | None]
    total: int


class CreateCompositionRequest(TypedDict):
    name: NotRequired[str]
    description: NotRequired[str]
    project_id: NotRequired[str]
    meta: NotRequired[Dict[str, Any]]
    width: NotRequired[int]
    height: NotRequired[int]
    template: NotRequired[Literal["empty", "blank_html"]]


class PatchCompositionRequest(TypedDict):
    name: NotRequired[str]
    description: NotRequired[str | None]
    project_id: NotRequired[str | None]
    meta: NotRequired[Dict[str, Any]]
    meta_patch: NotRequired[Dict[str, Any]]


class CloneCompositionRequest(TypedDict):
    name: NotRequired[str]
    description: NotRequired[str]
    project_id: NotRequired[str]
    meta_patch: NotRequired[Dict[str, Any]]


class SignedUrlsAssetsItem(TypedDict):
    asset_id: str
    url: str
    expires_at: str
    mime_type: str


class SignedUrlsFilesItem(TypedDict):
    path: str
    url: str
    expires_at: str
    mime_type: str
    size_bytes: int


class SignedUrls(TypedDict):
    files: List[SignedUrlsFilesItem]
    assets: List[SignedUrlsAssetsItem]
    missing: List[str]


class SignedUrlsRequest(TypedDict):
    paths: NotRequired[List[str]]
    asset_ids: NotRequired[List[str]]


class EffectiveClip(TypedDict):
    key: str
    id: str
    kind: Literal["video", "audio", "image", "composition", "element", "text"]
    start_seconds: float
    end_seconds: NotRequired[float | None]
    track_index: int
    is_shown: bool
    is_audible: bool
    composition_key: str
    path: NotRequired[str | None]
    asset_id: NotRequired[str | None]
    media_start_seconds: NotRequired[float | None]
    playback_rate: NotRequired[float | None]
    volume: NotRequired[float | None]
    audio_role: NotRequired[str | None]
    text: NotRequired[str | None]


class EffectiveTimelineDiagnosticsItem(TypedDict):
    severity: Literal["error", "warning"]
    code: str
    message: str
    path: str
    element: NotRequired[str | None]
    attribute: NotRequired[str | None]


class EffectiveTimeline(TypedDict):
    duration_seconds: NotRequired[float | None]
    frame_rate: float
    width: NotRequired[int | None]
    height: NotRequired[int | None]
    clips: List[EffectiveClip]
    diagnostics: List[EffectiveTimelineDiagnosticsItem]


class Preview(TypedDict):
    url: str
    revision: int
    expires_at: str


class RenderParams(TypedDict):
    mode: Literal["still"]
    at_seconds: float
    frame: int
    background: Literal["opaque", "transparent"]
    max_dimension: int | None


class Render(TypedDict):
    id: str
    composition_id: str
    user_id: str
    status: Literal["queued", "running", "succeeded", "failed"]
    target: Literal["video", "still"]
    composition_revision: int
    params: RenderParams | Dict[str, Any]
    progress: NotRequired[float | None]
    width: NotRequired[int | None]
    height: NotRequired[int | None]
    duration_seconds: NotRequired[float | None]
    asset_id: NotRequired[str | None]
    warnings: List[str]
    error: NotRequired[str | None]
    created_at: str
    updated_at: str
    started_at: NotRequired[str | None]
    finished_at: NotRequired[str | None]


class RenderStillOptions(TypedDict):
    at_seconds: NotRequired[float]
    frame: NotRequired[int]
    background: NotRequired[Literal["opaque", "transparent"]]
    max_dimension: NotRequired[int]


class AudioMixDucking(TypedDict):
    enabled: bool
    amount_db: NotRequired[float]
    attack_ms: NotRequired[float]
    release_ms: NotRequired[float]


class AudioMix(TypedDict):
    master_gain_db: NotRequired[float]
    narration_gain_db: NotRequired[float]
    music_gain_db: NotRequired[float]
    sfx_gain_db: NotRequired[float]
    clip_gain_db: NotRequired[float]
    ducking: NotRequired[AudioMixDucking]
    loudness_lufs: NotRequired[float]
    fade_in_seconds: NotRequired[float]
    fade_out_seconds: NotRequired[float]
    mute: NotRequired[bool]


class RenderRequest(TypedDict):
    target: NotRequired[Literal["video", "still"]]
    quality: NotRequired[Literal["fast", "standard", "high"]]
    still: NotRequired[RenderStillOptions]
    audio_mix: NotRequired[AudioMix]
    params: NotRequired[Dict[str, Any]]


class RenderList(TypedDict):
    items: List[Render]


class RenderStatusFrameData(TypedDict):
    status: Literal["queued", "running", "succeeded", "failed"]
    progress: NotRequired[float]


class RenderStatusFrame(TypedDict):
    event: Literal["status"]
    id: NotRequired[str]
    data: RenderStatusFrameData


class RenderCompleteFrameData(TypedDict):
    status: Literal["succeeded", "failed"]
    progress: NotRequired[float]
    asset_url: NotRequired[str]
    error: NotRequired[str]
    warnings: List[str]


class RenderCompleteFrame(TypedDict):
    event: Literal["complete"]
    id: NotRequired[str]
    data: RenderCompleteFrameData

RenderFrame: TypeAlias = "RenderStatusFrame | RenderCompleteFrame | ReconnectFrame"


class ShareLink(TypedDict):
    id: str
    kind: Literal["render", "asset"]
    target_id: str
    token: NotRequired[str]
    url: NotRequired[str]
    token_prefix: str
    name: str
    status: Literal["active", "expired", "revoked"]
    has_password: bool
    view_only: bool
    expires_at: NotRequired[str]
    created_at: str
    created_by: str
    access_count: int
    last_accessed_at: NotRequired[str]
    revoked_at: NotRequired[str]


class CreateShareRequest(TypedDict):
    expires_in_days: NotRequired[int]
    password: NotRequired[str]
    view_only: NotRequired[bool]
    name: NotRequired[str]


class ShareList(TypedDict):
    items: List[ShareLink]


class ShareResolution(TypedDict):
    kind: Literal["render", "asset"]
    name: str
    mime_type: str
    width: NotRequired[int | None]
    height: NotRequired[int | None]
    duration_seconds: NotRequired[float | None]
    has_audio: NotRequired[bool | None]
    size_bytes: int
    created_at: str
    view_only: bool
    expires_at: NotRequired[str | None]
    media_url: str
    thumbnail_url: NotRequired[str | None]
    download_url: NotRequired[str]


class SharePassword(TypedDict):
    password: NotRequired[str]


class Block(TypedDict):
    clip_asset_id: str
    narration_asset_id: NotRequired[str]
    start_seconds: NotRequired[float]
    duration_seconds: NotRequired[float]
    clip_volume: NotRequired[float]
    gap_seconds: NotRequired[float]


class BlocksRequest(TypedDict):
    blocks: List[Block]
    name: NotRequired[str]
    width: NotRequired[int]
    height: NotRequired[int]
    frame_rate: NotRequired[Literal[24, 25, 30, 60]]
    fit: NotRequired[Literal["contain", "cover"]]
    background_color: NotRequired[str]
    audio_mix: NotRequired[AudioMix]
    project_id: NotRequired[str]
    meta: NotRequired[Dict[str, Any]]


class FigmaTextLayer(TypedDict):
    kind: Literal["text"]
    node_id: str
    name: str
    x: float
    y: float
    width: float
    height: float
    opacity: float
    text: str
    rotation: float
    font_family: str
    font_postscript_name: str | None
    font_weight: float
    italic: bool
    font_size: float
    line_height_px: float
    letter_spacing: float
    text_align: Literal["left", "center", "right", "justified"]
    text_align_vertical: Literal["top", "center", "bottom"]
    text_case: Literal["original", "upper", "lower", "title", "small_caps", "small_caps_forced"]
    color: str
    start: float
    duration_seconds: float


class FigmaImageLayer(TypedDict):
    kind: Literal["image"]
    node_id: str
    name: str
    x: float
    y: float
    width: float
    height: float
    opacity: float
    asset_id: str
    start: float
    duration_seconds: float


class FigmaImportFrame(TypedDict):
    node_id: str
    name: str
    width: float
    height: float
    background_color: str | None


class FigmaImport(TypedDict):
    frame: FigmaImportFrame
    layers: List[FigmaTextLayer | FigmaImageLayer]
    warnings: List[str]


class FigmaImportRequest(TypedDict):
    access_token: str
    url: NotRequired[str]
    file_key: NotRequired[str]
    node_id: NotRequired[str]
    scale: NotRequired[float]
    start: NotRequired[float]
    duration_seconds: NotRequired[float]
    include_hidden: NotRequired[bool]
    insert: NotRequired[bool]


class ModelPricePer(TypedDict):
    images: NotRequired[float]
    seconds: NotRequired[float]
    characters_1000: NotRequired[float]
    megapixels: NotRequired[float]


class ModelPrice(TypedDict):
    base: float
    per: ModelPricePer
    multipliers: Dict[str, Dict[str, float]]
    minimum: int


class Model(TypedDict):
    id: str
    aliases: List[str]
    display_name: str
    description: str
    modality: Literal["image", "video", "audio", "three_d"]
    operations: List[Literal["generate", "set", "background_removal", "restoration"]]
    status: Literal["available", "preview", "deprecated", "disabled"]
    deprecated_at: NotRequired[str]
    sunset_at: NotRequired[str]
    replacement: NotRequired[str]
    plans: List[Literal["free", "starter", "pro", "studio", "team", "enterprise"]]
    defaults: Dict[str, Any]
    limits: Dict[str, Any]
    options: Dict[str, List[Any]]
    capabilities: Dict[str, bool]
    prompt_required: bool
    provider_options: bool
    price: ModelPrice
    typical_seconds: float
    deadline_seconds: int
    availability: Literal["up", "degraded", "down"]


class ModelPage(TypedDict):
    items: List[Model]
    version: str
    updated_at: str


class CallbackTaken(TypedDict):
    status: Literal["accepted", "ignored"]


class AdminProvider(TypedDict):
    name: str
    adapter: Literal["fal", "comfyui", "openai", "replicate", "cog"]
    status: Literal["up", "degraded", "down"]
    paused: bool
    in_flight: int
    waiting: int
    max_in_flight: NotRequired[int | None]
    callback: Literal["none", "signed", "token_only"]
    cancel: Literal["none", "queued_only", "any"]
    last_error_at: NotRequired[str]


class AdminProviderList(TypedDict):
    items: List[AdminProvider]


class ReadRequeued(TypedDict):
    status: Literal["accepted"]


class MemberBudget(TypedDict):
    limit_credits: int
    used_credits: int
    period: Literal["month", "total"]
    resets_at: NotRequired[str | None]


class UserOrganization(TypedDict):
    id: str
    name: str
    slug: str
    role: Literal["owner", "admin", "member", "viewer", "billing_contact"]
    plan: Literal["free", "starter", "pro", "studio", "team", "enterprise"]
    balance_credits: NotRequired[int | None]
    member_budget: NotRequired[MemberBudget | None]


class GenerationLimits(TypedDict):
    concurrent_max: int
    concurrent_active: int


class UserToken(TypedDict):
    id: str
    name: str
    scopes: List[str]
    expires_at: NotRequired[str | None]


class UserStorage(TypedDict):
    used_bytes: int
    limit_bytes: NotRequired[int | None]


class UserQuota(TypedDict):
    limit: int
    used: int
    resets_at: str


class User(TypedDict):
    id: str
    email: str
    display_name: str
    plan: Literal["free", "starter", "pro", "studio", "team", "enterprise"]
    balance_credits: NotRequired[int | None]
    role: NotRequired[Literal["owner", "admin", "member", "viewer", "billing_contact"] | None]
    active_organization: NotRequired[UserOrganization | None]
    generation_limits: NotRequired[GenerationLimits | None]
    quota: NotRequired[UserQuota | None]
    storage: UserStorage
    token: UserToken
    created_at: str


class Credits(TypedDict):
    balance_credits: NotRequired[int | None]
    held_credits: int
    plan: Literal["free", "starter", "pro", "studio", "team", "enterprise"]
    monthly_credits: int
    renews_at: str


class LimitsCompositionsListLimit(TypedDict):
    min: int
    max: int
    default: int


class LimitsSharesResolutionsPerMinute(TypedDict):
    address: int
    token: int


class LimitsSharesExpiresInDays(TypedDict):
    min: int
    max: int


class LimitsRenders(TypedDict):
    queued: int
    running: int
    listed: int
    wall_seconds: int


class LimitsCompositions(TypedDict):
    list_limit: LimitsCompositionsListLimit
    files: int
    bytes: int
    media_file_bytes: int
    text_file_bytes: int
    meta_bytes: int
    signed_urls: int


class LimitsShares(TypedDict):
    active_links: int
    expires_in_days: LimitsSharesExpiresInDays
    resolutions_per_minute: NotRequired[LimitsSharesResolutionsPerMinute | None]
    wrong_passwords: int
    wrong_passwords_per_token: int
    signed_url_seconds: int


class LimitsUploadBytes(TypedDict):
    direct: int
    presigned: int
    by_kind: Dict[str, int]


class LimitsTokenExpiresInDays(TypedDict):
    min: int
    max: int
    default: int


class LimitsWaitTimeoutSeconds(TypedDict):
    min: int
    max: int
    default: int


class LimitsListLimit(TypedDict):
    min: int
    max: int
    default: int


class LimitsRequestsPerMinute(TypedDict):
    read: int
    submit: int
    write: int
    upload: int


class LimitsStorage(TypedDict):
    used_bytes: int
    limit_bytes: NotRequired[int | None]


class Limits(TypedDict):
    plan: Literal["free", "starter", "pro", "studio", "team", "enterprise"]
    concurrent_generations: int
    generations_per_day: NotRequired[int | None]
    monthly_credits: int
    storage: LimitsStorage
    requests_per_minute: NotRequired[LimitsRequestsPerMinute | None]
    list_limit: LimitsListLimit
    wait_timeout_seconds: LimitsWaitTimeoutSeconds
    open_waits: int
    open_streams: int
    sse_ticket_seconds: int
    confirmation_token_seconds: int
    duplicate_window_seconds: int
    signed_url_seconds: int
    json_body_bytes: int
    generation_body_bytes: int
    url_bytes: int
    header_bytes: int
    json_depth: int
    idempotency_key_characters: int
    active_tokens: int
    token_expires_in_days: LimitsTokenExpiresInDays
    tokens_may_never_expire: bool
    oauth_clients: int
    set_members: int
    upload_bytes: LimitsUploadBytes
    shares: LimitsShares
    compositions: LimitsCompositions
    renders: LimitsRenders
    terminal_jobs_days: int
    organizations: int
    organizations_owned: int
    organization_members: int


class LedgerEntry(TypedDict):
    id: str
    at: str
    type: Literal["grant", "hold", "release", "charge", "refund", "adjust", "expire"]
    amount: int
    balance_after: int
    job_id: NotRequired[str]
    note: NotRequired[str]


class LedgerPage(TypedDict):
    items: List[LedgerEntry]
    next_cursor: NotRequired[str | None]


class SpendReportTotal(TypedDict):
    jobs: int
    credits_charged: int


class SpendReportItemsItem(TypedDict):
    key: NotRequired[str | None]
    jobs: int
    credits_charged: int


SpendReport = TypedDict(
    "SpendReport",
    {
        "from": "str",
        "to": "str",
        "group_by": 'Literal["day", "model", "user", "modality", "surface", "session"]',
        "items": "List[SpendReportItemsItem]",
        "total": "SpendReportTotal",
    },
)


class Organization(TypedDict):
    id: str
    name: str
    slug: str
    plan: Literal["free", "starter", "pro", "studio", "team", "enterprise"]
    balance_credits: NotRequired[int | None]
    role: Literal["owner", "admin", "member", "viewer", "billing_contact"]
    created_at: str


class OrganizationList(TypedDict):
    items: List[Organization]


class Member(TypedDict):
    user_id: str
    email: str
    display_name: str
    role: Literal["owner", "admin", "member", "viewer", "billing_contact"]
    budget: NotRequired[MemberBudget | None]
    created_at: str


class MemberList(TypedDict):
    items: List[Member]


class CreatedToken(TypedDict):
    id: str
    name: str
    prefix: str
    scopes: List[Literal[
        "generate",
        "jobs:read",
        "jobs:cancel",
        "assets:read",
        "assets:write",
        "compositions",
        "renders",
        "shares",
        "agents",
        "organizations",
        "billing:read",
        "tokens",
        "admin",
    ]]
    organization_id: NotRequired[str | None]
    created_at: str
    expires_at: NotRequired[str | None]
    last_used_at: NotRequired[str | None]
    token: str


class CreateTokenRequest(TypedDict):
    name: str
    scopes: NotRequired[List[Literal[
        "generate",
        "jobs:read",
        "jobs:cancel",
        "assets:read",
        "assets:write",
        "compositions",
        "renders",
        "shares",
        "agents",
        "organizations",
        "billing:read",
        "tokens",
        "admin",
    ]]]
    expires_in_days: NotRequired[int | None]
    organization_id: NotRequired[str]


class Token(TypedDict):
    id: str
    name: str
    prefix: str
    scopes: List[Literal[
        "generate",
        "jobs:read",
        "jobs:cancel",
        "assets:read",
        "assets:write",
        "compositions",
        "renders",
        "shares",
        "agents",
        "organizations",
        "billing:read",
        "tokens",
        "admin",
    ]]
    organization_id: NotRequired[str | None]
    created_at: str
    expires_at: NotRequired[str | None]
    last_used_at: NotRequired[str | None]


class TokenList(TypedDict):
    items: List[Token]


class AuthorizationServer(TypedDict):
    issuer: str
    token_endpoint: str
    revocation_endpoint: str
    device_authorization_endpoint: str
    response_types_supported: List[str]
    grant_types_supported: List[str]
    scopes_supported: List[str]
    token_endpoint_auth_methods_supported: List[str]
    revocation_endpoint_auth_methods_supported: List[str]


class AccessToken(TypedDict):
    access_token: str
    token_type: Literal["Bearer"]
    expires_in: int
    scope: str
    refresh_token: NotRequired[str]


class OAuthError(TypedDict):
    error: str
    error_description: NotRequired[str]


class OAuthClient(TypedDict):
    client_id: str
    name: str
    scopes: List[Literal[
        "generate",
        "jobs:read",
        "jobs:cancel",
        "assets:read",
        "assets:write",
        "compositions",
        "renders",
        "shares",
        "agents",
        "organizations",
        "billing:read",
        "tokens",
        "admin",
    ]]
    organization_id: NotRequired[str | None]
    user_id: str
    created_at: str


class ClientList(TypedDict):
    items: List[OAuthClient]


class CreatedClient(TypedDict):
    client_id: str
    name: str
    scopes: List[Literal[
        "generate",
        "jobs:read",
        "jobs:cancel",
        "assets:read",
        "assets:write",
        "compositions",
        "renders",
        "shares",
        "agents",
        "organizations",
        "billing:read",
        "tokens",
        "admin",
    ]]
    organization_id: NotRequired[str | None]
    user_id: str
    created_at: str
    client_secret: str


class DeviceAuthorization(TypedDict):
    device_code: str
    user_code: str
    verification_uri: str
    verification_uri_complete: str
    expires_in: int
    interval: int


class AgentTurn(TypedDict):
    id: str
    session_id: str
    brief: str
    status: Literal["running", "finished", "failed", "stopped", "swept"]
    credit_ceiling: NotRequired[int | None]
    credits_committed: int
    job_ids: List[str]
    summary: NotRequired[str | None]
    started_at: str
    ended_at: NotRequired[str | None]
    expires_at: str
    credential: NotRequired[str]


class AgentSession(TypedDict):
    id: str
    title: str
    status: Literal["idle", "running"]
    current_turn: NotRequired[AgentTurn | None]
    turns: NotRequired[List[AgentTurn]]
    credits_spent: int
    created_at: str
    updated_at: str
    user_id: str
    meta: Dict[str, Any]


class CreateSessionRequest(TypedDict):
    title: NotRequired[str]
    meta: NotRequired[Dict[str, Any]]


class AgentSessionPage(TypedDict):
    items: List[AgentSession]
    next_cursor: NotRequired[str | None]
    total: int


class CreateTurnRequest(TypedDict):
    brief: str
    credit_ceiling: NotRequired[int]
    ttl_seconds: NotRequired[int]


class FinishTurnRequest(TypedDict):
    status: Literal["finished", "failed"]
    summary: NotRequired[str]


class CeilingRequest(TypedDict):
    credit_ceiling: NotRequired[int]


class InterruptRequest(TypedDict):
    reason: NotRequired[str]


class SessionTurnFrameData(TypedDict):
    turn_id: str
    status: Literal["running", "finished", "failed", "stopped", "swept"]


class SessionTurnFrame(TypedDict):
    event: Literal["turn"]
    id: NotRequired[str]
    data: SessionTurnFrameData


class SessionJobFrameData(TypedDict):
    job_id: str
    status: JobStatus


class SessionJobFrame(TypedDict):
    event: Literal["job"]
    id: NotRequired[str]
    data: SessionJobFrameData


class SessionSpendFrameData(TypedDict):
    credits_committed: int
    credit_ceiling: NotRequired[int | None]


class SessionSpendFrame(TypedDict):
    event: Literal["spend"]
    id: NotRequired[str]
    data: SessionSpendFrameData


class SessionCompleteFrameData(TypedDict):
    turn_id: NotRequired[str]
    status: Literal["running", "finished", "failed", "stopped", "swept"]


class SessionCompleteFrame(TypedDict):
    event: Literal["complete"]
    id: NotRequired[str]
    data: SessionCompleteFrameData

SessionFrame: TypeAlias = Union[
    "SessionTurnFrame",
    "SessionJobFrame",
    "SessionSpendFrame",
    "SessionCompleteFrame",
    "ReconnectFrame",
]


class CreatedAccount(TypedDict):
    id: str
    email: str
    plan: Literal["free", "starter", "pro", "studio", "team", "enterprise"]
    balance_credits: int
    token: NotRequired[str]


class CreateAccountRequest(TypedDict):
    email: str
    display_name: NotRequired[str]
    plan: NotRequired[Literal["free", "starter", "pro", "studio", "team", "enterprise"]]
    credits: NotRequired[int]
    issue_token: NotRequired[bool]


class CatalogueLoaded(TypedDict):
    version: str
    updated_at: str
    models: int


class AdminAccountLimits(TypedDict):
    concurrent_max: NotRequired[int | None]
    generations_per_day: NotRequired[int | None]
    storage_bytes: NotRequired[int | None]


class AdminAccount(TypedDict):
    id: str
    plan: Literal["free", "starter", "pro", "studio", "team", "enterprise"]
    status: Literal["active", "suspended"]
    limits: AdminAccountLimits
    balance_credits: NotRequired[int | None]
    created_at: str
    email: str
    display_name: str


class AdminAccountPage(TypedDict):
    items: List[AdminAccount]
    next_cursor: NotRequired[str | None]
    total: int


class CreditsGiven(TypedDict):
    id: str
    balance_credits: int
    held_credits: int


class AdminOrganizationLimits(TypedDict):
    concurrent_max: NotRequired[int | None]
    generations_per_day: NotRequired[int | None]
    storage_bytes: NotRequired[int | None]


class AdminOrganization(TypedDict):
    id: str
    plan: Literal["free", "starter", "pro", "studio", "team", "enterprise"]
    status: Literal["active", "suspended"]
    limits: AdminOrganizationLimits
    balance_credits: NotRequired[int | None]
    created_at: str
    name: str
    slug: str


class AuditEntry(TypedDict):
    id: str
    actor: str
    action: str
    target: str
    at: str
    request_id: str
    address: str


class AuditPage(TypedDict):
    items: List[AuditEntry]
    next_cursor: NotRequired[str | None]


class AdminJobPage(TypedDict):
    items: List[Job]
    next_cursor: NotRequired[str | None]


class InvariantPageItemsItem(TypedDict):
    account_id: str
    invariant: Literal[
        "account_exists",
        "ledger_chain",
        "ledger_length",
        "granted",
        "spent",
        "held",
        "balance",
        "hold_resolved_once",
        "slots",
        "jobs_listed",
        "job_counts",
        "asset_counts",
        "stored_bytes",
        "unpaid_use",
        "renewal_awaited",
    ]
    detail: str
    expected: int
    found: int


class InvariantPage(TypedDict):
    items: List[InvariantPageItemsItem]
    next_cursor: NotRequired[str | None]
    accounts: int
    jobs: int
    moving: List[str]


class AdminNodeShardsItem(TypedDict):
    shard: int
    role: Literal["owner", "standby"]


class AdminNode(TypedDict):
    id: str
    name: str
    kind: Literal["engine", "farm"]
    address: str
    version: NotRequired[str | None]
    status: Literal["live", "draining", "gone"]
    shards: List[AdminNodeShardsItem]
    tasks: int
    slots: int
    warnings: List[str]
    started_at: str
    last_seen_at: str


class AdminNodeList(TypedDict):
    items: List[AdminNode]


class OverviewMinute(TypedDict):
    at: str
    accepted: int
    succeeded: int
    failed: int
    canceled: int
    requests: int
    server_errors: int
    answer_p50_ms: NotRequired[float | None]
    answer_p99_ms: NotRequired[float | None]


class AdminOverviewJobsItem(TypedDict):
    modality: Modality
    queued: int
    running: int


class AdminOverview(TypedDict):
    at: str
    minutes: List[OverviewMinute]
    current: OverviewMinute
    jobs: List[AdminOverviewJobsItem]
    credits_held: int
    renders_waiting: int
    streams: int
    waits: int
    replication_lag: int
    store_bytes: int
    silent_nodes: List[str]


class AdminTask(TypedDict):
    id: str
    kind: str
    account_id: str
    node: str
    started_at: str
    progress: float
    has_thumbnail: bool


class AdminTaskListWaitingItem(TypedDict):
    kind: str
    tasks: int


class AdminTaskList(TypedDict):
    items: List[AdminTask]
    waiting: List[AdminTaskListWaitingItem]


class AdminFailure(TypedDict):
    code: str
    kind: Literal["error", "moderated", "timeout"]
    model: str
    jobs: int
    last_at: str
    last_job_id: str
    last_message: str


class AdminFailureList(TypedDict):
    items: List[AdminFailure]
    since: str
    is_complete: bool


class Alive(TypedDict):
    status: Literal["ok"]
    version: str


class ReadinessChecks(TypedDict):
    store: Literal["ok", "degraded", "down"]
    log: Literal["ok", "degraded", "down"]
    objects: Literal["ok", "degraded", "down"]
    workers: Literal["ok", "degraded", "down"]
    renderers: Literal["ok", "degraded", "down"]


class Readiness(TypedDict):
    status: Literal["ok", "degraded", "down"]
    checks: ReadinessChecks
    warnings: List[str]


class RootLinks(TypedDict):
    release: str
    documentation: str
    openapi: str
    problems: str
    models: str
    health: str


class ProblemPage(TypedDict):
    type: str
    title: str
    status: int
    statuses: List[int]
    meaning: str
    remedy: str


class JobsListQuery(TypedDict):
    limit: NotRequired[int]
    cursor: NotRequired[str]
    status: NotRequired[str]
    modality: NotRequired[str]
    model: NotRequired[str]
    tag: NotRequired[str]
    created_after: NotRequired[str]
    created_before: NotRequired[str]
    set_id: NotRequired[str]
    agent_session_id: NotRequired[str]
    scope: NotRequired[str]


class JobsCancelManyRequestFilter(TypedDict):
    status: NotRequired[JobStatus | List[JobStatus]]
    modality: NotRequired[Modality | List[Modality]]
    set_id: NotRequired[str]
    agent_session_id: NotRequired[str]
    created_before: NotRequired[str]


class JobsCancelManyRequest(TypedDict):
    ids: NotRequired[List[str]]
    filter: NotRequired[JobsCancelManyRequestFilter]


class SetsListQuery(TypedDict):
    limit: NotRequired[int]
    cursor: NotRequired[str]


class AssetsListQuery(TypedDict):
    limit: NotRequired[int]
    cursor: NotRequired[str]
    modality: NotRequired[str]
    status: NotRequired[str]
    favorite: NotRequired[bool]
    tag: NotRequired[str]
    source: NotRequired[str]
    q: NotRequired[str]


class AssetsDeleteQuery(TypedDict):
    permanent: NotRequired[bool]


class CompositionsListQuery(TypedDict):
    limit: NotRequired[int]
    cursor: NotRequired[str]
    series: NotRequired[str]
    q: NotRequired[str]


class CompositionsDeleteQuery(TypedDict):
    force: NotRequired[bool]


class ModelsListQuery(TypedDict):
    modality: NotRequired[str]
    operation: NotRequired[str]
    include_disabled: NotRequired[bool]


class CreditsLedgerQuery(TypedDict):
    limit: NotRequired[int]
    cursor: NotRequired[str]
    created_after: NotRequired[str]
    created_before: NotRequired[str]


CreditsSpendQuery = TypedDict(
    "CreditsSpendQuery",
    {
        "from": "NotRequired[str]",
        "to": "NotRequired[str]",
        "group_by": 'NotRequired[Literal["day", "model", "user", "modality", "surface", "session"]]',
    },
)


class OrganizationsCreateRequest(TypedDict):
    name: str
    slug: NotRequired[str]


class OrganizationsUpdateRequest(TypedDict):
    name: NotRequired[str]
    slug: NotRequired[str]


class OrganizationsActivateRequest(TypedDict):
    organization_id: str | None


class OrganizationsAddMemberRequest(TypedDict):
    email: str
    role: Literal["owner", "admin", "member", "viewer", "billing_contact"]


class OrganizationsUpdateMemberRequest(TypedDict):
    role: Literal["owner", "admin", "member", "viewer", "billing_contact"]


class OrganizationsSetBudgetRequest(TypedDict):
    limit_credits: int
    period: Literal["month", "total"]


OrganizationsUsageQuery = TypedDict(
    "OrganizationsUsageQuery",
    {
        "from": "NotRequired[str]",
        "to": "NotRequired[str]",
        "group_by": 'NotRequired[Literal["day", "model", "user", "modality", "surface", "session"]]',
    },
)


class AgentsListSessionsQuery(TypedDict):
    limit: NotRequired[int]
    cursor: NotRequired[str]


class OauthCreateClientRequest(TypedDict):
    name: str
    scopes: List[Literal[
        "generate",
        "jobs:read",
        "jobs:cancel",
        "assets:read",
        "assets:write",
        "compositions",
        "renders",
        "shares",
        "agents",
        "organizations",
        "billing:read",
        "tokens",
        "admin",
    ]]


class OauthApproveDeviceRequest(TypedDict):
    user_code: str
    approve: bool


class AdminFailuresQuery(TypedDict):
    hours: NotRequired[int]


class AdminAccountsQuery(TypedDict):
    limit: NotRequired[int]
    cursor: NotRequired[str]


class AdminUpdateAccountRequestLimits(TypedDict):
    concurrent_max: NotRequired[int | None]
    generations_per_day: NotRequired[int | None]
    storage_bytes: NotRequired[int | None]


class AdminUpdateAccountRequest(TypedDict):
    plan: NotRequired[Literal["free", "starter", "pro", "studio", "team", "enterprise"]]
    status: NotRequired[Literal["active", "suspended"]]
    limits: NotRequired[AdminUpdateAccountRequestLimits]


class AdminCreateTokenRequest(TypedDict):
    name: NotRequired[str]
    scopes: NotRequired[List[Literal[
        "generate",
        "jobs:read",
        "jobs:cancel",
        "assets:read",
        "assets:write",
        "compositions",
        "renders",
        "shares",
        "agents",
        "organizations",
        "billing:read",
        "tokens",
        "admin",
    ]]]
    expires_in_days: NotRequired[int | None]
    organization_id: NotRequired[str]


class AdminGiveCreditsRequest(TypedDict):
    amount: int
    note: NotRequired[str]


class AdminUpdateOrganizationRequestLimits(TypedDict):
    concurrent_max: NotRequired[int | None]
    generations_per_day: NotRequired[int | None]
    storage_bytes: NotRequired[int | None]


class AdminUpdateOrganizationRequest(TypedDict):
    plan: NotRequired[Literal["free", "starter", "pro", "studio", "team", "enterprise"]]
    status: NotRequired[Literal["active", "suspended"]]
    limits: NotRequired[AdminUpdateOrganizationRequestLimits]


class AdminGiveOrganizationCreditsRequest(TypedDict):
    amount: int
    note: NotRequired[str]


class AdminJobsQuery(TypedDict):
    limit: NotRequired[int]
    cursor: NotRequired[str]
    status: NotRequired[str]
    modality: NotRequired[str]
    model: NotRequired[str]
    user_id: NotRequired[str]


class AdminInvariantsQuery(TypedDict):
    limit: NotRequired[int]
    cursor: NotRequired[str]


class AdminAuditQuery(TypedDict):
    limit: NotRequired[int]
    cursor: NotRequired[str]
