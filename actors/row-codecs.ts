/** Row encodings of the tables that every generation writes; all other tables use plain JSON. */

import { idAtEnd, idOfBytes } from "../engine/id.ts";
import type { Key } from "../engine/key.ts";
import { kindsCodec, listCodec, type RowCodecs, rowCodec } from "../engine/row-codec.ts";
import type { Account, LedgerRow } from "./protocol/account.ts";
import type {
  AbandonedUpload,
  Asset,
  FailedAsset,
  Origin,
  PendingAsset,
  ProcessingAsset,
  ReadyAsset,
  TrashedAsset,
} from "./protocol/asset.ts";
import type {
  CanceledJob,
  FailedJob,
  Job,
  JobRequest,
  QueuedJob,
  RunningJob,
  SucceededJob,
  Terms,
} from "./protocol/job.ts";
import type { Media } from "./protocol/media.ts";
import { codes } from "./table-codes.ts";

const idInKey = (key: Key) => idOfBytes(key, 2);

/** Members of all variants of a union together, as a codec for an origin needs them. */
type EachOf<Union> = { readonly [Name in Union extends unknown ? keyof Union : never]: unknown };

/** Members of one variant of a row, without `phase`, which tells the variants apart. */
type Of<Row> = Omit<Row, "phase">;

const account = rowCodec<Account>({
  plan: "plain",
  createdAtMs: "plain",
  granted: "plain",
  held: "plain",
  spent: "plain",
  planLeft: "plain",
  renewsAtMs: "plain",
  active: rowCodec<Account["active"]>({ media: "plain", three_d: "plain" }),
  counts: "plain",
  quota: rowCodec<Account["quota"]>({ day: "plain", used: "plain" }),
  ledgerLength: "plain",
  tickets: "plain",
  models: "plain",
  waiting: "plain",
  remembered: "plain",
  sets: "plain",
  assets: "plain",
  stored: "plain",
  isOrganization: "plain",
  overrides: "plain",
  countsInto: "plain",
  unpaidUse: "plain",
});

const ledger = rowCodec<LedgerRow>({
  atMs: "plain",
  job: "plain",
  entries: listCodec(
    rowCodec<LedgerRow["entries"][number]>({ type: "plain", amount: "plain", balance: "plain" }),
  ),
  note: "plain",
});

const terms = rowCodec<Terms>({
  job: idInKey,
  scope: "plain",
  modality: "plain",
  modelTag: "plain",
  provider: "plain",
  hold: "plain",
  count: "plain",
  createdAtMs: "plain",
  member: "plain",
  turn: "plain",
  tags: "plain",
});

const ofJob = { terms, revision: "plain", updatedAtMs: "plain", events: "plain" } as const;
const ofSent = { submits: "plain", ref: "plain" } as const;
const ofOpenJob = { ...ofJob, ...ofSent, deadlineMs: "plain", attempts: "plain" } as const;

const job = kindsCodec<"phase", Job>("phase", {
  queued: rowCodec<Of<QueuedJob>>({
    ...ofOpenJob,
    detail: "plain",
    submitting: "plain",
    waits: "plain",
    inline: "plain",
  }),
  running: rowCodec<Of<RunningJob>>({
    ...ofOpenJob,
    startedAtMs: "plain",
    progress: "plain",
    token: "plain",
    isDelivering: "plain",
  }),
  succeeded: rowCodec<Of<SucceededJob>>({
    ...ofJob,
    startedAtMs: "plain",
    completedAtMs: "plain",
    charged: "plain",
    assets: "plain",
    warnings: "plain",
  }),
  failed: rowCodec<Of<FailedJob>>({
    ...ofJob,
    startedAtMs: "plain",
    completedAtMs: "plain",
    charged: "plain",
    failure: "plain",
  }),
  canceled: rowCodec<Of<CanceledJob>>({
    ...ofJob,
    ...ofSent,
    startedAtMs: "plain",
    completedAtMs: "plain",
    stage: "plain",
    providerCancel: "plain",
    settlement: "plain",
    canceledBy: "plain",
    awaits: "plain",
  }),
});

const asked = rowCodec<JobRequest>({
  id: idInKey,
  scope: "plain",
  user: "plain",
  modality: "plain",
  model: "plain",
  prompt: "plain",
  tags: "plain",
  createdAtMs: "plain",
  task: "plain",
  input: "plain",
  typicalSeconds: "plain",
  fingerprint: "plain",
  promptAs: "plain",
  displayName: "plain",
  surface: "plain",
  enhancedPrompt: "plain",
  set: "plain",
  turn: "plain",
  parent: "plain",
  trace: "plain",
  bodyDigest: "plain",
  goneAs: "plain",
  accepted: "plain",
  subject: "plain",
});

const media = rowCodec<Media>({
  objectKey: "plain",
  mimeType: "plain",
  sizeBytes: "plain",
  sha256: "plain",
  width: "plain",
  height: "plain",
  durationSeconds: "plain",
  hasAudio: "plain",
  frameRate: "plain",
  thumbnailKey: "plain",
});

const ofAsset = {
  id: idAtEnd,
  scope: idInKey,
  createdAtMs: "plain",
  origin: rowCodec<EachOf<Origin>>({
    job: "plain",
    filename: "plain",
    render: "plain",
    user: "plain",
    isImported: "plain",
  }),
} as const;
const namedByOwner = { displayName: "plain", tags: "plain", favorite: "plain" } as const;
const ofUpload = { ...ofAsset, upload: "plain", ...namedByOwner } as const;

const asset = kindsCodec<"phase", Asset>("phase", {
  pending_upload: rowCodec<Of<PendingAsset>>(ofUpload),
  abandoned: rowCodec<Of<AbandonedUpload>>({ ...ofUpload, as: "plain", untilMs: "plain" }),
  processing: rowCodec<Of<ProcessingAsset>>({
    ...ofUpload,
    bytes: "plain",
    token: "plain",
    attempts: "plain",
  }),
  ready: rowCodec<Of<ReadyAsset>>({ ...ofAsset, media, upload: "plain", ...namedByOwner }),
  failed: rowCodec<Of<FailedAsset>>({
    ...ofUpload,
    bytes: "plain",
    reason: "plain",
    untilMs: "plain",
  }),
  trashed: rowCodec<Of<TrashedAsset>>({ ...ofAsset, media, trashedAtMs: "plain", ...namedByOwner }),
});

export const rowCodecs: RowCodecs = new Map([
  [codes.account, account],
  [codes.ledger, ledger],
  [codes.job, job],
  [codes.jobRequest, asked],
  [codes.asset, asset],
]);
