/** Examples of the contract: by the schema's title, then by name. A test checks each of them. */

type Examples = Readonly<Record<string, { readonly value: object }>>;

const user = "0199c0de-7000-7000-8000-00000000000a";
const imageId = "0199c0de-7000-7000-8000-000000000001";
const assetId = "0199c0de-7000-7000-8000-000000000002";
const compositionId = "0199c0de-7000-7000-8000-000000000003";
const renderId = "0199c0de-7000-7000-8000-000000000004";
const sessionId = "0199c0de-7000-7000-8000-000000000005";
const turnId = "0199c0de-7000-7000-8000-000000000006";
const uploadId = "0199c0de-7000-7000-8000-000000000007";
const shareId = "0199c0de-7000-7000-8000-000000000008";
const acceptedAt = "2026-04-15T12:00:00.000Z";
const startedAt = "2026-04-15T12:00:01.000Z";
const endedAt = "2026-04-15T12:00:09.000Z";
const expiresAt = "2026-04-15T13:00:09.000Z";
const signedUrl = "https://klieg.example/objects/0199c0de.png?expires=1776258009&signature=5f0c";
const prompt = "A lighthouse in heavy rain, seen from the sea at dusk";

const image = { model: "default", prompt, aspect_ratio: "16:9", num_images: 1 };

const queued = {
  id: imageId,
  modality: "image",
  model: "studio-image",
  status: "queued",
  progress: null,
  created_at: acceptedAt,
  updated_at: acceptedAt,
  user_id: user,
  credits_held: 4,
  credits_charged: null,
  summary: prompt,
};

const asset = {
  id: assetId,
  signed_url: signedUrl,
  expires_at: expiresAt,
  mime_type: "image/png",
  width: 1_024,
  height: 576,
  created_at: endedAt,
  display_name: prompt,
  favorite: false,
  modality: "image",
  model: "studio-image",
  prompt,
  size_bytes: 812_345,
  status: "ready",
  tags: ["harbor"],
  user_id: user,
  source: "generation",
  job_id: imageId,
};

const ended = { ...queued, updated_at: endedAt, started_at: startedAt, completed_at: endedAt };

const turn = {
  id: turnId,
  session_id: sessionId,
  brief: "Make three stills of the harbor, at most 40 credits.",
  status: "running",
  credit_ceiling: 40,
  credits_committed: 4,
  job_ids: [imageId],
  started_at: acceptedAt,
  expires_at: expiresAt,
};

const requests: Readonly<Record<string, Examples>> = {
  GenerateImageRequest: { image: { value: image } },
  GenerateVideoRequest: {
    text: { value: { model: "default", prompt, duration_seconds: 5, resolution: "1080p" } },
    "first-frame": { value: { model: "default", prompt, first_frame_asset_id: assetId } },
  },
  GenerateAudioRequest: {
    speech: { value: { model: "default", task: "speech", text: "The ferry leaves at nine." } },
    music: { value: { model: "default", task: "music", prompt: "A slow waltz" } },
  },
  Generate3DRequest: {
    photos: { value: { model: "default", image_asset_ids: [assetId], output_format: "glb" } },
  },
  GenerateSetRequest: {
    set: {
      value: {
        name: "Harbor",
        base: { model: "default", prompt: "A harbor" },
        members: [
          { label: "dawn", prompt_suffix: ", at dawn" },
          { label: "night", prompt_suffix: ", at night", overrides: { aspect_ratio: "1:1" } },
        ],
      },
    },
  },
  JobCostRequest: { image: { value: { kind: "image", image } } },
  CreateCompositionRequest: {
    blank: { value: { name: "Harbor film", width: 1_920, height: 1_080, template: "blank_html" } },
  },
  RenderRequest: {
    video: { value: { target: "video", quality: "standard" } },
    still: { value: { target: "still", still: { at_seconds: 2.5 } } },
  },
  CreateShareRequest: {
    link: { value: { expires_in_days: 30, password: "open sesame", view_only: true } },
  },
  CreateTokenRequest: {
    token: { value: { name: "build server", scopes: ["generate", "jobs:read", "assets:read"] } },
  },
  CreateUploadRequest: {
    video: { value: { filename: "harbor.mp4", mime_type: "video/mp4", size_bytes: 52_428_800 } },
  },
  UploadPartsRequest: { parts: { value: { part_numbers: [1, 2] } } },
  CompleteUploadRequest: {
    parts: { value: { parts: [{ part_number: 1, etag: '"9f86d081"' }] } },
  },
  CreateSessionRequest: { session: { value: { title: "Harbor campaign" } } },
  CreateTurnRequest: { turn: { value: { brief: turn.brief, credit_ceiling: 40 } } },
};

const answers: Readonly<Record<string, Examples>> = {
  Job: {
    queued: { value: queued },
    succeeded: {
      value: { ...ended, status: "succeeded", progress: 1, asset, credits_charged: 4 },
    },
    failed: {
      value: {
        ...ended,
        status: "failed",
        failure: {
          kind: "error",
          code: "job_failed",
          message: "The model provider could not do the work.",
          credits_refunded: true,
        },
        credits_charged: 0,
      },
    },
  },
  Asset: { image: { value: asset } },
  SseTicket: { ticket: { value: { ticket: "uX3vYk0bQm9sZ1d5", expires_at: expiresAt } } },
  JobCostQuote: {
    image: {
      value: {
        kind: "image",
        model: "studio-image",
        credits: 4,
        basis: "one_generation",
        settings: [{ label: "Aspect ratio", value: "16:9" }],
        balance_credits: 1_200,
        sufficient_credits: true,
        confirmation_token: "q83vEjRWeJq83vEjRWeJ",
        expires_at: expiresAt,
      },
    },
  },
  User: {
    user: {
      value: {
        id: user,
        email: "ada@klieg.example",
        display_name: "Ada",
        plan: "studio",
        balance_credits: 1_200,
        generation_limits: { concurrent_max: 8, concurrent_active: 1 },
        quota: { limit: 500, used: 12, resets_at: "2026-04-16T00:00:00.000Z" },
        storage: { used_bytes: 812_345, limit_bytes: 1_099_511_627_776 },
        token: { id: "tok-1", name: "build server", scopes: ["generate"], expires_at: null },
        created_at: acceptedAt,
      },
    },
  },
  Render: {
    succeeded: {
      value: {
        id: renderId,
        composition_id: compositionId,
        user_id: user,
        status: "succeeded",
        target: "video",
        composition_revision: 7,
        params: {},
        progress: 1,
        width: 1_920,
        height: 1_080,
        duration_seconds: 12,
        asset_id: assetId,
        warnings: [],
        created_at: acceptedAt,
        updated_at: endedAt,
        started_at: startedAt,
        finished_at: endedAt,
      },
    },
  },
  Composition: {
    film: {
      value: {
        id: compositionId,
        user_id: user,
        name: "Harbor film",
        meta: {},
        width: 1_920,
        height: 1_080,
        duration_seconds: 12,
        frame_rate: 30,
        revision: 7,
        total_bytes: 48_112,
        created_at: acceptedAt,
        updated_at: endedAt,
      },
    },
  },
  Upload: {
    single: {
      value: {
        id: uploadId,
        asset_id: assetId,
        status: "pending",
        method: "single",
        url: `https://klieg.example/uploads/${user}/${uploadId}/1?signature=5f0c`,
        expires_at: expiresAt,
      },
    },
  },
  CreatedToken: {
    token: {
      value: {
        id: "tok-1",
        name: "build server",
        prefix: "klg_9f86",
        scopes: ["generate", "jobs:read", "assets:read"],
        created_at: acceptedAt,
        expires_at: null,
        token: "klg_9f86d081884c7d659a2feaa0c55ad015",
      },
    },
  },
  ShareLink: {
    made: {
      value: {
        id: shareId,
        kind: "render",
        target_id: renderId,
        token: "q83vEjRWeJq83vEjRWeJqyM",
        url: "https://klieg.example/v1/share/q83vEjRWeJq83vEjRWeJqyM",
        token_prefix: "q83vEj",
        name: "Harbor film",
        status: "active",
        has_password: false,
        view_only: false,
        created_at: acceptedAt,
        created_by: user,
        access_count: 0,
      },
    },
  },
  ShareResolution: {
    film: {
      value: {
        kind: "render",
        name: "Harbor film",
        mime_type: "video/mp4",
        width: 1_920,
        height: 1_080,
        duration_seconds: 12,
        has_audio: true,
        size_bytes: 9_812_345,
        created_at: endedAt,
        view_only: false,
        expires_at: null,
        media_url: signedUrl,
        thumbnail_url: signedUrl,
        download_url: `${signedUrl}&filename=Harbor%20film.mp4`,
      },
    },
  },
  AgentTurn: { running: { value: turn } },
};

export const examples: Readonly<Record<string, Examples>> = { ...requests, ...answers };

function frames(...all: readonly (readonly [string, object, string?])[]): string {
  const lines = all.map(
    ([event, data, id]) =>
      `event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`,
  );
  return `retry: 5000\n\n${lines.join("")}`;
}

/** Event streams as they come over the wire, by the title of their frames. */
export const rawFrames: Readonly<Record<string, string>> = {
  JobFrame: frames(
    ["status", { status: "running", progress: 0.4 }, `${imageId}:3`],
    ["complete", { status: "succeeded", progress: 1, asset_url: signedUrl }, `${imageId}:5`],
  ),
  RenderFrame: frames(
    ["status", { status: "running", progress: 0.4 }, `${renderId}:3`],
    ["complete", { status: "succeeded", asset_url: signedUrl, warnings: [] }, `${renderId}:5`],
  ),
  SessionFrame: frames(
    ["turn", { turn_id: turnId, status: "running" }],
    ["spend", { credits_committed: 4, credit_ceiling: 40 }],
    ["job", { job_id: imageId, status: "succeeded" }],
    ["complete", { turn_id: turnId, status: "finished" }],
  ),
};
