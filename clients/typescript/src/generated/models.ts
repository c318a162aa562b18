/** Written by clients/generator from the published contract; do not edit it. */

export interface Problem {
  type: string;
  title: string;
  status: number;
  code?: string;
  detail?: string;
  instance?: string;
  request_id?: string;
  job_id?: string;
  job_status?: string;
  set_id?: string;
  render_id?: string;
  required_scope?: string;
  required_role?: string;
  required_plan?: string;
  credits_required?: number;
  balance_credits?: number;
  budget_credits?: number;
  budget_used_credits?: number;
  budget_resets_at?: string | null;
  run_total_credits?: number;
  credit_ceiling?: number;
  reason?: string;
  concurrent_max?: number;
  concurrent_active?: number;
  quota?: number;
  used?: number;
  limit_bytes?: number;
  errors?: ({
    pointer: string;
    detail: string;
  })[];
}

export type Modality = "image" | "video" | "audio" | "three_d";

export type JobStatus = "queued" | "running" | "succeeded" | "failed" | "canceled";

export interface Asset {
  id: string;
  signed_url: string;
  expires_at: string;
  mime_type: string;
  width?: number | null;
  height?: number | null;
  duration_seconds?: number | null;
  has_audio?: boolean | null;
  thumbnail_url?: string | null;
  enhanced_prompt?: string | null;
  created_at: string;
  display_name: string;
  favorite: boolean;
  modality?: Modality;
  model: string;
  prompt: string;
  size_bytes: number;
  status: "pending_upload" | "processing" | "ready" | "failed" | "trashed";
  tags: string[];
  user_id: string;
  source: "generation" | "upload" | "render" | "import";
  job_id?: string | null;
  render_id?: string | null;
  checksum_sha256?: string | null;
  frame_rate?: number | null;
  trashed_at?: string | null;
  failure_reason?: string | null;
}

export interface JobFailure {
  code?: string;
  kind: "error" | "moderated" | "timeout";
  message: string;
  credits_refunded?: boolean | null;
}

export interface Cancellation {
  stage: "before_submit" | "submitting" | "provider_queued" | "provider_running";
  provider_cancel?:
    | "cancelled"
    | "stopped_partway"
    | "requested"
    | "refused"
    | "unsupported"
    | "failed"
    | null;
  settlement: "refunded" | "partially_refunded" | "pending" | "charged";
  message: string;
  credits_refunded?: number | null;
  credits_charged?: number | null;
  requested_at: string;
  settled_at?: string | null;
  canceled_by: string;
}

export interface Job {
  id: string;
  modality: Modality;
  model: string;
  status: JobStatus;
  status_detail?: string | null;
  status_message?: string | null;
  asset?: Asset;
  assets?: Asset[];
  error?: Problem;
  failure?: JobFailure;
  warnings?: string[];
  cancellation?: Cancellation;
  progress?: number | null;
  created_at: string;
  updated_at: string;
  started_at?: string | null;
  completed_at?: string | null;
  user_id: string;
  set_id?: string | null;
  agent_session_id?: string | null;
  parent_job_id?: string | null;
  credits_held: number;
  credits_charged?: number | null;
  surface?: string | null;
  summary: string;
  request?: Record<string, unknown>;
}

export interface GenerateImageRequest {
  readonly model: string;
  readonly num_images?: number | undefined;
  readonly prompt?: string | undefined;
  readonly negative_prompt?: string | undefined;
  readonly aspect_ratio?: string | undefined;
  readonly resolution?: string | undefined;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly quality?: string | undefined;
  readonly reference_asset_ids?: readonly string[] | undefined;
  readonly mask_asset_id?: string | undefined;
  readonly seed?: number | undefined;
  readonly output_format?: "png" | "jpeg" | "webp" | undefined;
  readonly background?: "opaque" | "transparent" | "auto" | undefined;
  readonly enhance_prompt?: boolean | undefined;
  readonly display_name?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly provider_options?: Record<string, unknown> | undefined;
  readonly confirmation_token?: string | undefined;
}

export interface GenerateVideoRequest {
  readonly model: string;
  readonly prompt?: string | undefined;
  readonly negative_prompt?: string | undefined;
  readonly duration_seconds?: number | undefined;
  readonly aspect_ratio?: string | undefined;
  readonly resolution?: string | undefined;
  readonly quality?: string | undefined;
  readonly first_frame_asset_id?: string | undefined;
  readonly last_frame_asset_id?: string | undefined;
  readonly reference_asset_ids?: readonly string[] | undefined;
  readonly source_video_asset_id?: string | undefined;
  readonly audio?: boolean | undefined;
  readonly camera_motion?: string | undefined;
  readonly fps?: number | undefined;
  readonly seed?: number | undefined;
  readonly enhance_prompt?: boolean | undefined;
  readonly display_name?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly provider_options?: Record<string, unknown> | undefined;
  readonly confirmation_token?: string | undefined;
}

export interface GenerateAudioRequest {
  readonly model: string;
  readonly task?: "speech" | "music" | "sound_effect" | undefined;
  readonly text?: string | undefined;
  readonly prompt?: string | undefined;
  readonly voice?: string | undefined;
  readonly language?: string | undefined;
  readonly duration_seconds?: number | undefined;
  readonly lyrics?: string | undefined;
  readonly speed?: number | undefined;
  readonly reference_asset_id?: string | undefined;
  readonly output_format?: "mp3" | "wav" | "flac" | "ogg" | undefined;
  readonly seed?: number | undefined;
  readonly display_name?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly provider_options?: Record<string, unknown> | undefined;
  readonly confirmation_token?: string | undefined;
}

export interface Generate3DRequest {
  readonly model: string;
  readonly image_asset_ids: readonly string[];
  readonly prompt?: string | undefined;
  readonly texture?: boolean | undefined;
  readonly target_polycount?: number | undefined;
  readonly output_format?: "glb" | "gltf" | undefined;
  readonly seed?: number | undefined;
  readonly display_name?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly provider_options?: Record<string, unknown> | undefined;
  readonly confirmation_token?: string | undefined;
}

export interface RemoveBackgroundVideoRequest {
  readonly model?: string | undefined;
  readonly source_asset_id: string;
  readonly background?: "transparent" | "color" | undefined;
  readonly background_color?: string | undefined;
  readonly output_format?: "webm" | "mov" | "mp4" | undefined;
  readonly display_name?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly confirmation_token?: string | undefined;
}

export interface RestoreVideoRequest {
  readonly model?: string | undefined;
  readonly source_asset_id: string;
  readonly scale?: 1 | 2 | 4 | undefined;
  readonly target_resolution?: "720p" | "1080p" | "1440p" | "4k" | undefined;
  readonly denoise?: number | undefined;
  readonly sharpen?: number | undefined;
  readonly target_fps?: number | undefined;
  readonly display_name?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly confirmation_token?: string | undefined;
}

export interface EnhancedPrompt {
  prompt: string;
  original_prompt: string;
  model: string;
  credits_charged: number;
  balance_credits?: number | null;
}

export interface EnhancePromptRequest {
  readonly prompt: string;
  readonly model: string;
  readonly duration_seconds?: number | undefined;
  readonly aspect_ratio?: string | undefined;
  readonly first_frame_asset_id?: string | undefined;
}

export interface JobCostSetting {
  label: string;
  value: string;
}

export interface JobCostQuote {
  kind:
    | "image"
    | "video"
    | "audio"
    | "three_d"
    | "set"
    | "video_background_removal"
    | "video_restoration";
  model: string;
  credits: number;
  basis: "one_generation" | "set_run";
  members?: number | null;
  duration_seconds?: number | null;
  quality?: string | null;
  settings: JobCostSetting[];
  balance_credits?: number | null;
  sufficient_credits: boolean;
  confirmation_token: string;
  expires_at: string;
}

export interface SetMember {
  readonly label: string;
  readonly prompt?: string | undefined;
  readonly prompt_suffix?: string | undefined;
  readonly overrides?: {
    readonly prompt?: string | undefined;
    readonly negative_prompt?: string | undefined;
    readonly aspect_ratio?: string | undefined;
    readonly resolution?: string | undefined;
    readonly width?: number | undefined;
    readonly height?: number | undefined;
    readonly quality?: string | undefined;
    readonly reference_asset_ids?: readonly string[] | undefined;
    readonly mask_asset_id?: string | undefined;
    readonly seed?: number | undefined;
    readonly output_format?: "png" | "jpeg" | "webp" | undefined;
    readonly background?: "opaque" | "transparent" | "auto" | undefined;
    readonly enhance_prompt?: boolean | undefined;
    readonly display_name?: string | undefined;
    readonly tags?: readonly string[] | undefined;
    readonly provider_options?: Record<string, unknown> | undefined;
  } | undefined;
}

export interface GenerateSetRequest {
  readonly name?: string | undefined;
  readonly base: {
    readonly model: string;
    readonly prompt?: string | undefined;
    readonly negative_prompt?: string | undefined;
    readonly aspect_ratio?: string | undefined;
    readonly resolution?: string | undefined;
    readonly width?: number | undefined;
    readonly height?: number | undefined;
    readonly quality?: string | undefined;
    readonly reference_asset_ids?: readonly string[] | undefined;
    readonly mask_asset_id?: string | undefined;
    readonly seed?: number | undefined;
    readonly output_format?: "png" | "jpeg" | "webp" | undefined;
    readonly background?: "opaque" | "transparent" | "auto" | undefined;
    readonly enhance_prompt?: boolean | undefined;
    readonly display_name?: string | undefined;
    readonly tags?: readonly string[] | undefined;
    readonly provider_options?: Record<string, unknown> | undefined;
  };
  readonly members: readonly SetMember[];
  readonly confirmation_token?: string | undefined;
}

export interface JobCostRequest {
  readonly kind:
    | "image"
    | "video"
    | "audio"
    | "three_d"
    | "set"
    | "video_background_removal"
    | "video_restoration";
  readonly image?: GenerateImageRequest | undefined;
  readonly video?: GenerateVideoRequest | undefined;
  readonly audio?: GenerateAudioRequest | undefined;
  readonly three_d?: Generate3DRequest | undefined;
  readonly set?: GenerateSetRequest | undefined;
  readonly video_background_removal?: RemoveBackgroundVideoRequest | undefined;
  readonly video_restoration?: RestoreVideoRequest | undefined;
}

export interface OutputSetMember {
  label: string;
  job_id?: string | null;
  status: "queued" | "running" | "succeeded" | "failed" | "canceled" | "refused" | "not_submitted";
  asset?: Asset;
  failure?: JobFailure;
}

export interface OutputSetProblem {
  label: string;
  code?: string | null;
  status: number;
  title: string;
  detail: string;
}

export interface OutputSet {
  id: string;
  name: string;
  status: "generating" | "ready" | "partial" | "failed";
  model: string;
  members: OutputSetMember[];
  problems: OutputSetProblem[];
  counts: {
    total: number;
    accepted: number;
    queued: number;
    running: number;
    succeeded: number;
    failed: number;
    canceled: number;
    refused: number;
  };
  credits_held: number;
  credits_charged: number;
  credits_refunded: number;
  created_at: string;
  updated_at: string;
  completed_at?: string | null;
  user_id: string;
}

export interface OutputSetPage {
  items: OutputSet[];
  next_cursor?: string | null;
  total: number;
}

export interface JobPage {
  items: Job[];
  next_cursor?: string | null;
  total: number;
}

export interface JobEvents {
  items: ({
    at: string;
    type:
      | "accepted"
      | "hold_placed"
      | "submitted"
      | "provider_status"
      | "callback_received"
      | "status_detail"
      | "progress"
      | "cancel_requested"
      | "terminal"
      | "settled";
    data: Record<string, unknown>;
  })[];
}

export interface CanceledJobs {
  results: ({
    job_id: string;
    status: number;
    code?: string | null;
  })[];
}

export interface SseTicket {
  ticket: string;
  expires_at: string;
}

export interface JobStatusFrame {
  event: "status";
  id?: string;
  data: {
    status: JobStatus;
    progress?: number;
    status_detail?: string;
    status_message?: string;
  };
}

export interface JobSucceededFrame {
  event: "complete";
  id?: string;
  data: {
    status: "succeeded";
    progress?: number;
    asset_url?: string;
  };
}

export interface JobFailedFrame {
  event: "complete";
  id?: string;
  data: {
    status: "failed";
    progress?: number;
    error?: string;
    failure_kind?: "error" | "moderated" | "timeout";
    failure_code?: string;
    credits_refunded?: boolean | null;
  };
}

export interface JobCanceledFrame {
  event: "complete";
  id?: string;
  data: {
    status: "canceled";
    progress?: number;
    error?: string;
    credits_refunded?: boolean;
  };
}

export interface ReconnectFrame {
  event: "reconnect";
  id?: string;
  data: Record<string, never>;
}

export type JobFrame =
  | JobStatusFrame
  | JobSucceededFrame
  | JobFailedFrame
  | JobCanceledFrame
  | ReconnectFrame;

export interface AssetPage {
  items: Asset[];
  next_cursor?: string | null;
  total: number;
}

export interface UploadForm {
  file: string;
  display_name?: string;
  tags?: string;
  checksum_sha256?: string;
}

export interface AssetPatchRequest {
  readonly display_name?: string | undefined;
  readonly favorite?: boolean | undefined;
  readonly tags?: readonly string[] | undefined;
}

export interface Upload {
  id: string;
  asset_id: string;
  status: "pending" | "completed" | "aborted" | "expired";
  method: "single" | "multipart";
  url?: string;
  headers?: Record<string, string>;
  part_size?: number;
  part_count?: number;
  parts?: ({
    part_number: number;
    url: string;
  })[];
  uploaded_parts?: ({
    part_number: number;
    etag: string;
    size_bytes: number;
  })[];
  expires_at: string;
}

export interface CreateUploadRequest {
  readonly filename: string;
  readonly mime_type: string;
  readonly size_bytes: number;
  readonly checksum_sha256?: string | undefined;
  readonly display_name?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}

export interface UploadParts {
  parts: ({
    part_number: number;
    url: string;
    expires_at: string;
  })[];
}

export interface UploadPartsRequest {
  readonly part_numbers: readonly number[];
}

export interface CompleteUploadRequest {
  readonly parts?: readonly ({
    readonly part_number: number;
    readonly etag: string;
  })[] | undefined;
}

export interface CompositionFile {
  path: string;
  size_bytes: number;
  mime_type: string;
  etag: string;
  updated_at: string;
  role: "entry" | "composition" | "media" | "edits" | "other";
}

export interface Composition {
  id: string;
  user_id: string;
  organization_id?: string | null;
  name: string;
  description?: string | null;
  project_id?: string | null;
  meta: Record<string, unknown>;
  width?: number | null;
  height?: number | null;
  duration_seconds?: number | null;
  frame_rate: number;
  revision: number;
  files?: CompositionFile[];
  total_bytes: number;
  created_at: string;
  updated_at: string;
  cloned_from?: string | null;
}

export interface CompositionPage {
  items: Composition[];
  next_cursor?: string | null;
  total: number;
}

export interface CreateCompositionRequest {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly project_id?: string | undefined;
  readonly meta?: Record<string, unknown> | undefined;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly template?: "empty" | "blank_html" | undefined;
}

export interface PatchCompositionRequest {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly project_id?: string | null | undefined;
  readonly meta?: Record<string, unknown> | undefined;
  readonly meta_patch?: Record<string, unknown> | undefined;
}

export interface CloneCompositionRequest {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly project_id?: string | undefined;
  readonly meta_patch?: Record<string, unknown> | undefined;
}

export interface SignedUrls {
  files: ({
    path: string;
    url: string;
    expires_at: string;
    mime_type: string;
    size_bytes: number;
  })[];
  assets: ({
    asset_id: string;
    url: string;
    expires_at: string;
    mime_type: string;
  })[];
  missing: string[];
}

export interface SignedUrlsRequest {
  readonly paths?: readonly string[] | undefined;
  readonly asset_ids?: readonly string[] | undefined;
}

export interface EffectiveClip {
  key: string;
  id: string;
  kind: "video" | "audio" | "image" | "composition" | "element" | "text";
  start_seconds: number;
  end_seconds?: number | null;
  track_index: number;
  is_shown: boolean;
  is_audible: boolean;
  composition_key: string;
  path?: string | null;
  asset_id?: string | null;
  media_start_seconds?: number | null;
  playback_rate?: number | null;
  volume?: number | null;
  audio_role?: string | null;
  text?: string | null;
}

export interface EffectiveTimeline {
  duration_seconds?: number | null;
  frame_rate: number;
  width?: number | null;
  height?: number | null;
  clips: EffectiveClip[];
  diagnostics: ({
    severity: "error" | "warning";
    code: string;
    message: string;
    path: string;
    element?: string | null;
    attribute?: string | null;
  })[];
}

export interface Preview {
  url: string;
  revision: number;
  expires_at: string;
}

export interface Render {
  id: string;
  composition_id: string;
  user_id: string;
  status: "queued" | "running" | "succeeded" | "failed";
  target: "video" | "still";
  composition_revision: number;
  params: {
    mode: "still";
    at_seconds: number;
    frame: number;
    background: "opaque" | "transparent";
    max_dimension: number | null;
  } | Record<string, never>;
  progress?: number | null;
  width?: number | null;
  height?: number | null;
  duration_seconds?: number | null;
  asset_id?: string | null;
  warnings: string[];
  error?: string | null;
  created_at: string;
  updated_at: string;
  started_at?: string | null;
  finished_at?: string | null;
}

export interface RenderStillOptions {
  readonly at_seconds?: number | undefined;
  readonly frame?: number | undefined;
  readonly background?: "opaque" | "transparent" | undefined;
  readonly max_dimension?: number | undefined;
}

export interface AudioMix {
  readonly master_gain_db?: number | undefined;
  readonly narration_gain_db?: number | undefined;
  readonly music_gain_db?: number | undefined;
  readonly sfx_gain_db?: number | undefined;
  readonly clip_gain_db?: number | undefined;
  readonly ducking?: {
    readonly enabled: boolean;
    readonly amount_db?: number | undefined;
    readonly attack_ms?: number | undefined;
    readonly release_ms?: number | undefined;
  } | undefined;
  readonly loudness_lufs?: number | undefined;
  readonly fade_in_seconds?: number | undefined;
  readonly fade_out_seconds?: number | undefined;
  readonly mute?: boolean | undefined;
}

export interface RenderRequest {
  readonly target?: "video" | "still" | undefined;
  readonly quality?: "fast" | "standard" | "high" | undefined;
  readonly still?: RenderStillOptions | undefined;
  readonly audio_mix?: AudioMix | undefined;
  readonly params?: Record<string, never> | undefined;
}

export interface RenderList {
  items: Render[];
}

export interface RenderStatusFrame {
  event: "status";
  id?: string;
  data: {
    status: "queued" | "running" | "succeeded" | "failed";
    progress?: number;
  };
}

export interface RenderCompleteFrame {
  event: "complete";
  id?: string;
  data: {
    status: "succeeded" | "failed";
    progress?: number;
    asset_url?: string;
    error?: string;
    warnings: string[];
  };
}

export type RenderFrame = RenderStatusFrame | RenderCompleteFrame | ReconnectFrame;

export interface ShareLink {
  id: string;
  kind: "render" | "asset";
  target_id: string;
  token?: string;
  url?: string;
  token_prefix: string;
  name: string;
  status: "active" | "expired" | "revoked";
  has_password: boolean;
  view_only: boolean;
  expires_at?: string;
  created_at: string;
  created_by: string;
  access_count: number;
  last_accessed_at?: string;
  revoked_at?: string;
}

export interface CreateShareRequest {
  readonly expires_in_days?: number | undefined;
  readonly password?: string | undefined;
  readonly view_only?: boolean | undefined;
  readonly name?: string | undefined;
}

export interface ShareList {
  items: ShareLink[];
}

export interface ShareResolution {
  kind: "render" | "asset";
  name: string;
  mime_type: string;
  width?: number | null;
  height?: number | null;
  duration_seconds?: number | null;
  has_audio?: boolean | null;
  size_bytes: number;
  created_at: string;
  view_only: boolean;
  expires_at?: string | null;
  media_url: string;
  thumbnail_url?: string | null;
  download_url?: string;
}

export interface SharePassword {
  readonly password?: string | undefined;
}

export interface Block {
  readonly clip_asset_id: string;
  readonly narration_asset_id?: string | undefined;
  readonly start_seconds?: number | undefined;
  readonly duration_seconds?: number | undefined;
  readonly clip_volume?: number | undefined;
  readonly gap_seconds?: number | undefined;
}

export interface BlocksRequest {
  readonly blocks: readonly Block[];
  readonly name?: string | undefined;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly frame_rate?: 24 | 25 | 30 | 60 | undefined;
  readonly fit?: "contain" | "cover" | undefined;
  readonly background_color?: string | undefined;
  readonly audio_mix?: AudioMix | undefined;
  readonly project_id?: string | undefined;
  readonly meta?: Record<string, unknown> | undefined;
}

export interface FigmaTextLayer {
  kind: "text";
  node_id: string;
  name: string;
  x: number;
  y: number;
  width: number;
  height: number;
  opacity: number;
  text: string;
  rotation: number;
  font_family: string;
  font_postscript_name: string | null;
  font_weight: number;
  italic: boolean;
  font_size: number;
  line_height_px: number;
  letter_spacing: number;
  text_align: "left" | "center" | "right" | "justified";
  text_align_vertical: "top" | "center" | "bottom";
  text_case: "original" | "upper" | "lower" | "title" | "small_caps" | "small_caps_forced";
  color: string;
  start: number;
  duration_seconds: number;
}

export interface FigmaImageLayer {
  kind: "image";
  node_id: string;
  name: string;
  x: number;
  y: number;
  width: number;
  height: number;
  opacity: number;
  asset_id: string;
  start: number;
  duration_seconds: number;
}

export interface FigmaImport {
  frame: {
    node_id: string;
    name: string;
    width: number;
    height: number;
    background_color: string | null;
  };
  layers: (FigmaTextLayer | FigmaImageLayer)[];
  warnings: string[];
}

export interface FigmaImportRequest {
  readonly access_token: string;
  readonly url?: string | undefined;
  readonly file_key?: string | undefined;
  readonly node_id?: string | undefined;
  readonly scale?: number | undefined;
  readonly start?: number | undefined;
  readonly duration_seconds?: number | undefined;
  readonly include_hidden?: boolean | undefined;
  readonly insert?: boolean | undefined;
}

export interface Model {
  id: string;
  aliases: string[];
  display_name: string;
  description: string;
  modality: "image" | "video" | "audio" | "three_d";
  operations: ("generate" | "set" | "background_removal" | "restoration")[];
  status: "available" | "preview" | "deprecated" | "disabled";
  deprecated_at?: string;
  sunset_at?: string;
  replacement?: string;
  plans: ("free" | "starter" | "pro" | "studio" | "team" | "enterprise")[];
  defaults: Record<string, unknown>;
  limits: Record<string, unknown>;
  options: Record<string, unknown[]>;
  capabilities: Record<string, boolean>;
  prompt_required: boolean;
  provider_options: boolean;
  price: {
    base: number;
    per: {
      images?: number;
      seconds?: number;
      characters_1000?: number;
      megapixels?: number;
    };
    multipliers: Record<string, Record<string, number>>;
    minimum: number;
  };
  typical_seconds: number;
  deadline_seconds: number;
  availability: "up" | "degraded" | "down";
}

export interface ModelPage {
  items: Model[];
  version: string;
  updated_at: string;
}

export interface CallbackTaken {
  status: "accepted" | "ignored";
}

export interface AdminProvider {
  name: string;
  adapter: "fal" | "comfyui" | "openai" | "replicate" | "cog";
  status: "up" | "degraded" | "down";
  paused: boolean;
  in_flight: number;
  waiting: number;
  max_in_flight?: number | null;
  callback: "none" | "signed" | "token_only";
  cancel: "none" | "queued_only" | "any";
  last_error_at?: string;
}

export interface AdminProviderList {
  items: AdminProvider[];
}

export interface ReadRequeued {
  status: "accepted";
}

export interface MemberBudget {
  limit_credits: number;
  used_credits: number;
  period: "month" | "total";
  resets_at?: string | null;
}

export interface UserOrganization {
  id: string;
  name: string;
  slug: string;
  role: "owner" | "admin" | "member" | "viewer" | "billing_contact";
  plan: "free" | "starter" | "pro" | "studio" | "team" | "enterprise";
  balance_credits?: number | null;
  member_budget?: MemberBudget | null;
}

export interface GenerationLimits {
  concurrent_max: number;
  concurrent_active: number;
}

export interface User {
  id: string;
  email: string;
  display_name: string;
  plan: "free" | "starter" | "pro" | "studio" | "team" | "enterprise";
  balance_credits?: number | null;
  role?: "owner" | "admin" | "member" | "viewer" | "billing_contact" | null;
  active_organization?: UserOrganization | null;
  generation_limits?: GenerationLimits | null;
  quota?: {
    limit: number;
    used: number;
    resets_at: string;
  } | null;
  storage: {
    used_bytes: number;
    limit_bytes?: number | null;
  };
  token: {
    id: string;
    name: string;
    scopes: string[];
    expires_at?: string | null;
  };
  created_at: string;
}

export interface Credits {
  balance_credits?: number | null;
  held_credits: number;
  plan: "free" | "starter" | "pro" | "studio" | "team" | "enterprise";
  monthly_credits: number;
  renews_at: string;
}

export interface Limits {
  plan: "free" | "starter" | "pro" | "studio" | "team" | "enterprise";
  concurrent_generations: number;
  generations_per_day?: number | null;
  monthly_credits: number;
  storage: {
    used_bytes: number;
    limit_bytes?: number | null;
  };
  requests_per_minute?: {
    read: number;
    submit: number;
    write: number;
    upload: number;
  } | null;
  list_limit: {
    min: number;
    max: number;
    default: number;
  };
  wait_timeout_seconds: {
    min: number;
    max: number;
    default: number;
  };
  open_waits: number;
  open_streams: number;
  sse_ticket_seconds: number;
  confirmation_token_seconds: number;
  duplicate_window_seconds: number;
  signed_url_seconds: number;
  json_body_bytes: number;
  generation_body_bytes: number;
  url_bytes: number;
  header_bytes: number;
  json_depth: number;
  idempotency_key_characters: number;
  active_tokens: number;
  token_expires_in_days: {
    min: number;
    max: number;
    default: number;
  };
  tokens_may_never_expire: boolean;
  oauth_clients: number;
  set_members: number;
  upload_bytes: {
    direct: number;
    presigned: number;
    by_kind: Record<string, number>;
  };
  shares: {
    active_links: number;
    expires_in_days: {
      min: number;
      max: number;
    };
    resolutions_per_minute?: {
      address: number;
      token: number;
    } | null;
    wrong_passwords: number;
    wrong_passwords_per_token: number;
    signed_url_seconds: number;
  };
  compositions: {
    list_limit: {
      min: number;
      max: number;
      default: number;
    };
    files: number;
    bytes: number;
    media_file_bytes: number;
    text_file_bytes: number;
    meta_bytes: number;
    signed_urls: number;
  };
  renders: {
    queued: number;
    running: number;
    listed: number;
    wall_seconds: number;
  };
  terminal_jobs_days: number;
  organizations: number;
  organizations_owned: number;
  organization_members: number;
}

export interface LedgerEntry {
  id: string;
  at: string;
  type: "grant" | "hold" | "release" | "charge" | "refund" | "adjust" | "expire";
  amount: number;
  balance_after: number;
  job_id?: string;
  note?: string;
}

export interface LedgerPage {
  items: LedgerEntry[];
  next_cursor?: string | null;
}

export interface SpendReport {
  from: string;
  to: string;
  group_by: "day" | "model" | "user" | "modality" | "surface" | "session";
  items: ({
    key?: string | null;
    jobs: number;
    credits_charged: number;
  })[];
  total: {
    jobs: number;
    credits_charged: number;
  };
}

export interface Organization {
  id: string;
  name: string;
  slug: string;
  plan: "free" | "starter" | "pro" | "studio" | "team" | "enterprise";
  balance_credits?: number | null;
  role: "owner" | "admin" | "member" | "viewer" | "billing_contact";
  created_at: string;
}

export interface OrganizationList {
  items: Organization[];
}

export interface Member {
  user_id: string;
  email: string;
  display_name: string;
  role: "owner" | "admin" | "member" | "viewer" | "billing_contact";
  budget?: MemberBudget | null;
  created_at: string;
}

export interface MemberList {
  items: Member[];
}

export interface CreatedToken {
  id: string;
  name: string;
  prefix: string;
  scopes: (
    | "generate"
    | "jobs:read"
    | "jobs:cancel"
    | "assets:read"
    | "assets:write"
    | "compositions"
    | "renders"
    | "shares"
    | "agents"
    | "organizations"
    | "billing:read"
    | "tokens"
    | "admin"
  )[];
  organization_id?: string | null;
  created_at: string;
  expires_at?: string | null;
  last_used_at?: string | null;
  token: string;
}

export interface CreateTokenRequest {
  readonly name: string;
  readonly scopes?: readonly (
    | "generate"
    | "jobs:read"
    | "jobs:cancel"
    | "assets:read"
    | "assets:write"
    | "compositions"
    | "renders"
    | "shares"
    | "agents"
    | "organizations"
    | "billing:read"
    | "tokens"
    | "admin"
  )[] | undefined;
  readonly expires_in_days?: number | null | undefined;
  readonly organization_id?: string | undefined;
}

export interface Token {
  id: string;
  name: string;
  prefix: string;
  scopes: (
    | "generate"
    | "jobs:read"
    | "jobs:cancel"
    | "assets:read"
    | "assets:write"
    | "compositions"
    | "renders"
    | "shares"
    | "agents"
    | "organizations"
    | "billing:read"
    | "tokens"
    | "admin"
  )[];
  organization_id?: string | null;
  created_at: string;
  expires_at?: string | null;
  last_used_at?: string | null;
}

export interface TokenList {
  items: Token[];
}

export interface AuthorizationServer {
  issuer: string;
  token_endpoint: string;
  revocation_endpoint: string;
  device_authorization_endpoint: string;
  response_types_supported: string[];
  grant_types_supported: string[];
  scopes_supported: string[];
  token_endpoint_auth_methods_supported: string[];
  revocation_endpoint_auth_methods_supported: string[];
}

export interface AccessToken {
  access_token: string;
  token_type: "Bearer";
  expires_in: number;
  scope: string;
  refresh_token?: string;
}

export interface OAuthError {
  error: string;
  error_description?: string;
}

export interface OAuthClient {
  client_id: string;
  name: string;
  scopes: (
    | "generate"
    | "jobs:read"
    | "jobs:cancel"
    | "assets:read"
    | "assets:write"
    | "compositions"
    | "renders"
    | "shares"
    | "agents"
    | "organizations"
    | "billing:read"
    | "tokens"
    | "admin"
  )[];
  organization_id?: string | null;
  user_id: string;
  created_at: string;
}

export interface ClientList {
  items: OAuthClient[];
}

export interface CreatedClient {
  client_id: string;
  name: string;
  scopes: (
    | "generate"
    | "jobs:read"
    | "jobs:cancel"
    | "assets:read"
    | "assets:write"
    | "compositions"
    | "renders"
    | "shares"
    | "agents"
    | "organizations"
    | "billing:read"
    | "tokens"
    | "admin"
  )[];
  organization_id?: string | null;
  user_id: string;
  created_at: string;
  client_secret: string;
}

export interface DeviceAuthorization {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
  expires_in: number;
  interval: number;
}

export interface AgentTurn {
  id: string;
  session_id: string;
  brief: string;
  status: "running" | "finished" | "failed" | "stopped" | "swept";
  credit_ceiling?: number | null;
  credits_committed: number;
  job_ids: string[];
  summary?: string | null;
  started_at: string;
  ended_at?: string | null;
  expires_at: string;
  credential?: string;
}

export interface AgentSession {
  id: string;
  title: string;
  status: "idle" | "running";
  current_turn?: AgentTurn | null;
  turns?: AgentTurn[];
  credits_spent: number;
  created_at: string;
  updated_at: string;
  user_id: string;
  meta: Record<string, unknown>;
}

export interface CreateSessionRequest {
  readonly title?: string | undefined;
  readonly meta?: Record<string, unknown> | undefined;
}

export interface AgentSessionPage {
  items: AgentSession[];
  next_cursor?: string | null;
  total: number;
}

export interface CreateTurnRequest {
  readonly brief: string;
  readonly credit_ceiling?: number | undefined;
  readonly ttl_seconds?: number | undefined;
}

export interface FinishTurnRequest {
  readonly status: "finished" | "failed";
  readonly summary?: string | undefined;
}

export interface CeilingRequest {
  readonly credit_ceiling?: number | undefined;
}

export interface InterruptRequest {
  readonly reason?: string | undefined;
}

export interface SessionTurnFrame {
  event: "turn";
  id?: string;
  data: {
    turn_id: string;
    status: "running" | "finished" | "failed" | "stopped" | "swept";
  };
}

export interface SessionJobFrame {
  event: "job";
  id?: string;
  data: {
    job_id: string;
    status: JobStatus;
  };
}

export interface SessionSpendFrame {
  event: "spend";
  id?: string;
  data: {
    credits_committed: number;
    credit_ceiling?: number | null;
  };
}

export interface SessionCompleteFrame {
  event: "complete";
  id?: string;
  data: {
    turn_id?: string;
    status: "running" | "finished" | "failed" | "stopped" | "swept";
  };
}

export type SessionFrame =
  | SessionTurnFrame
  | SessionJobFrame
  | SessionSpendFrame
  | SessionCompleteFrame
  | ReconnectFrame;

export interface CreatedAccount {
  id: string;
  email: string;
  plan: "free" | "starter" | "pro" | "studio" | "team" | "enterprise";
  balance_credits: number;
  token?: string;
}

export interface CreateAccountRequest {
  readonly email: string;
  readonly display_name?: string | undefined;
  readonly plan?: "free" | "starter" | "pro" | "studio" | "team" | "enterprise" | undefined;
  readonly credits?: number | undefined;
  readonly issue_token?: boolean | undefined;
}

export interface CatalogueLoaded {
  version: string;
  updated_at: string;
  models: number;
}

export interface AdminAccount {
  id: string;
  plan: "free" | "starter" | "pro" | "studio" | "team" | "enterprise";
  status: "active" | "suspended";
  limits: {
    concurrent_max?: number | null;
    generations_per_day?: number | null;
    storage_bytes?: number | null;
  };
  balance_credits?: number | null;
  created_at: string;
  email: string;
  display_name: string;
}

export interface AdminAccountPage {
  items: AdminAccount[];
  next_cursor?: string | null;
  total: number;
}

export interface CreditsGiven {
  id: string;
  balance_credits: number;
  held_credits: number;
}

export interface AdminOrganization {
  id: string;
  plan: "free" | "starter" | "pro" | "studio" | "team" | "enterprise";
  status: "active" | "suspended";
  limits: {
    concurrent_max?: number | null;
    generations_per_day?: number | null;
    storage_bytes?: number | null;
  };
  balance_credits?: number | null;
  created_at: string;
  name: string;
  slug: string;
}

export interface AuditEntry {
  id: string;
  actor: string;
  action: string;
  target: string;
  at: string;
  request_id: string;
  address: string;
}

export interface AuditPage {
  items: AuditEntry[];
  next_cursor?: string | null;
}

export interface AdminJobPage {
  items: Job[];
  next_cursor?: string | null;
}

export interface InvariantPage {
  items: ({
    account_id: string;
    invariant:
      | "account_exists"
      | "ledger_chain"
      | "ledger_length"
      | "granted"
      | "spent"
      | "held"
      | "balance"
      | "hold_resolved_once"
      | "slots"
      | "jobs_listed"
      | "job_counts"
      | "asset_counts"
      | "stored_bytes"
      | "unpaid_use"
      | "renewal_awaited";
    detail: string;
    expected: number;
    found: number;
  })[];
  next_cursor?: string | null;
  accounts: number;
  jobs: number;
  moving: string[];
}

export interface AdminNode {
  id: string;
  name: string;
  kind: "engine" | "farm";
  address: string;
  version?: string | null;
  status: "live" | "draining" | "gone";
  shards: ({
    shard: number;
    role: "owner" | "standby";
  })[];
  tasks: number;
  slots: number;
  warnings: string[];
  started_at: string;
  last_seen_at: string;
}

export interface AdminNodeList {
  items: AdminNode[];
}

export interface OverviewMinute {
  at: string;
  accepted: number;
  succeeded: number;
  failed: number;
  canceled: number;
  requests: number;
  server_errors: number;
  answer_p50_ms?: number | null;
  answer_p99_ms?: number | null;
}

export interface AdminOverview {
  at: string;
  minutes: OverviewMinute[];
  current: OverviewMinute;
  jobs: ({
    modality: Modality;
    queued: number;
    running: number;
  })[];
  credits_held: number;
  renders_waiting: number;
  streams: number;
  waits: number;
  replication_lag: number;
  store_bytes: number;
  silent_nodes: string[];
}

export interface AdminTask {
  id: string;
  kind: string;
  account_id: string;
  node: string;
  started_at: string;
  progress: number;
  has_thumbnail: boolean;
}

export interface AdminTaskList {
  items: AdminTask[];
  waiting: ({
    kind: string;
    tasks: number;
  })[];
}

export interface AdminFailure {
  code: string;
  kind: "error" | "moderated" | "timeout";
  model: string;
  jobs: number;
  last_at: string;
  last_job_id: string;
  last_message: string;
}

export interface AdminFailureList {
  items: AdminFailure[];
  since: string;
  is_complete: boolean;
}

export interface Alive {
  status: "ok";
  version: string;
}

export interface Readiness {
  status: "ok" | "degraded" | "down";
  checks: {
    store: "ok" | "degraded" | "down";
    log: "ok" | "degraded" | "down";
    objects: "ok" | "degraded" | "down";
    workers: "ok" | "degraded" | "down";
    renderers: "ok" | "degraded" | "down";
  };
  warnings: string[];
}

export interface RootLinks {
  release: string;
  documentation: string;
  openapi: string;
  problems: string;
  models: string;
  health: string;
}

export interface ProblemPage {
  type: string;
  title: string;
  status: number;
  statuses: number[];
  meaning: string;
  remedy: string;
}

export interface JobsListQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly status?: string | undefined;
  readonly modality?: string | undefined;
  readonly model?: string | undefined;
  readonly tag?: string | undefined;
  readonly created_after?: string | undefined;
  readonly created_before?: string | undefined;
  readonly set_id?: string | undefined;
  readonly agent_session_id?: string | undefined;
  readonly scope?: string | undefined;
}

export interface JobsCancelManyRequest {
  readonly ids?: readonly string[] | undefined;
  readonly filter?: {
    readonly status?: JobStatus | readonly JobStatus[] | undefined;
    readonly modality?: Modality | readonly Modality[] | undefined;
    readonly set_id?: string | undefined;
    readonly agent_session_id?: string | undefined;
    readonly created_before?: string | undefined;
  } | undefined;
}

export interface SetsListQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface AssetsListQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly modality?: string | undefined;
  readonly status?: string | undefined;
  readonly favorite?: boolean | undefined;
  readonly tag?: string | undefined;
  readonly source?: string | undefined;
  readonly q?: string | undefined;
}

export interface AssetsDeleteQuery {
  readonly permanent?: boolean | undefined;
}

export interface CompositionsListQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly series?: string | undefined;
  readonly q?: string | undefined;
}

export interface CompositionsDeleteQuery {
  readonly force?: boolean | undefined;
}

export interface ModelsListQuery {
  readonly modality?: string | undefined;
  readonly operation?: string | undefined;
  readonly include_disabled?: boolean | undefined;
}

export interface CreditsLedgerQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly created_after?: string | undefined;
  readonly created_before?: string | undefined;
}

export interface CreditsSpendQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly group_by?: "day" | "model" | "user" | "modality" | "surface" | "session" | undefined;
}

export interface OrganizationsCreateRequest {
  readonly name: string;
  readonly slug?: string | undefined;
}

export interface OrganizationsUpdateRequest {
  readonly name?: string | undefined;
  readonly slug?: string | undefined;
}

export interface OrganizationsActivateRequest {
  readonly organization_id: string | null;
}

export interface OrganizationsAddMemberRequest {
  readonly email: string;
  readonly role: "owner" | "admin" | "member" | "viewer" | "billing_contact";
}

export interface OrganizationsUpdateMemberRequest {
  readonly role: "owner" | "admin" | "member" | "viewer" | "billing_contact";
}

export interface OrganizationsSetBudgetRequest {
  readonly limit_credits: number;
  readonly period: "month" | "total";
}

export interface OrganizationsUsageQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly group_by?: "day" | "model" | "user" | "modality" | "surface" | "session" | undefined;
}

export interface AgentsListSessionsQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface OauthCreateClientRequest {
  readonly name: string;
  readonly scopes: readonly (
    | "generate"
    | "jobs:read"
    | "jobs:cancel"
    | "assets:read"
    | "assets:write"
    | "compositions"
    | "renders"
    | "shares"
    | "agents"
    | "organizations"
    | "billing:read"
    | "tokens"
    | "admin"
  )[];
}

export interface OauthApproveDeviceRequest {
  readonly user_code: string;
  readonly approve: boolean;
}

export interface AdminFailuresQuery {
  readonly hours?: number | undefined;
}

export interface AdminAccountsQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface AdminUpdateAccountRequest {
  readonly plan?: "free" | "starter" | "pro" | "studio" | "team" | "enterprise" | undefined;
  readonly status?: "active" | "suspended" | undefined;
  readonly limits?: {
    readonly concurrent_max?: number | null | undefined;
    readonly generations_per_day?: number | null | undefined;
    readonly storage_bytes?: number | null | undefined;
  } | undefined;
}

export interface AdminCreateTokenRequest {
  readonly name?: string | undefined;
  readonly scopes?: readonly (
    | "generate"
    | "jobs:read"
    | "jobs:cancel"
    | "assets:read"
    | "assets:write"
    | "compositions"
    | "renders"
    | "shares"
    | "agents"
    | "organizations"
    | "billing:read"
    | "tokens"
    | "admin"
  )[] | undefined;
  readonly expires_in_days?: number | null | undefined;
  readonly organization_id?: string | undefined;
}

export interface AdminGiveCreditsRequest {
  readonly amount: number;
  readonly note?: string | undefined;
}

export interface AdminUpdateOrganizationRequest {
  readonly plan?: "free" | "starter" | "pro" | "studio" | "team" | "enterprise" | undefined;
  readonly status?: "active" | "suspended" | undefined;
  readonly limits?: {
    readonly concurrent_max?: number | null | undefined;
    readonly generations_per_day?: number | null | undefined;
    readonly storage_bytes?: number | null | undefined;
  } | undefined;
}

export interface AdminGiveOrganizationCreditsRequest {
  readonly amount: number;
  readonly note?: string | undefined;
}

export interface AdminJobsQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly status?: string | undefined;
  readonly modality?: string | undefined;
  readonly model?: string | undefined;
  readonly user_id?: string | undefined;
}

export interface AdminInvariantsQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface AdminAuditQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}
