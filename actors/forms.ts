/** How the tables that every generation writes spell their rows; the others do as JSON does. */

import { idAtEnd, idOfBytes } from "../engine/id.ts";
import type { Key } from "../engine/key.ts";
import { type Forms, kindsForm, listForm, rowForm } from "../engine/row-form.ts";
import type { Account, LedgerRow } from "./account/account.ts";
import type {
  AbandonedUpload,
  Asset,
  FailedAsset,
  Origin,
  PendingAsset,
  ProcessingAsset,
  ReadyAsset,
  TrashedAsset,
} from "./asset/asset.ts";
import type { Media } from "./asset/media.ts";
import type {
  CanceledJob,
  FailedJob,
  Job,
  JobRequest,
  QueuedJob,
  RunningJob,
  SucceededJob,
  Terms,
} from "./job/job.ts";
import { codes } from "./table-codes.ts";

const idInKey = (key: Key) => idOfBytes(key, 2);

/** Of an origin, which has one of several kinds of members. */
type EachOf<Union> = { readonly [Name in Union extends unknown ? keyof Union : never]: unknown };

/** Members of a kind of row, but for what tells the kinds apart. */
type Of<Row> = Omit<Row, "phase">;

const account = rowForm<Account>({
  plan: "plain",
  createdAtMs: "plain",
  granted: "plain",
  held: "plain",
  spent: "plain",
  planLeft: "plain",
  renewsAtMs: "plain",
  active: rowForm<Account["active"]>({ media: "plain", three_d: "plain" }),
  counts: "plain",
  quota: rowForm<Account["quota"]>({ day: "plain", used: "plain" }),
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
});

const ledger = rowForm<LedgerRow>({
  atMs: "plain",
  job: "plain",
  entries: listForm(
    rowForm<LedgerRow["entries"][number]>({ type: "plain", amount: "plain", balance: "plain" }),
  ),
  note: "plain",
});

const terms = rowForm<Terms>({
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
const ofOpenJob = { ...ofJob, deadlineMs: "plain", attempts: "plain" } as const;

const job = kindsForm<"phase", Job>("phase", {
  queued: rowForm<Of<QueuedJob>>({
    ...ofOpenJob,
    detail: "plain",
    submitting: "plain",
    isAccepted: "plain",
    waits: "plain",
    inline: "plain",
  }),
  running: rowForm<Of<RunningJob>>({
    ...ofOpenJob,
    startedAtMs: "plain",
    progress: "plain",
    token: "plain",
  }),
  succeeded: rowForm<Of<SucceededJob>>({
    ...ofJob,
    startedAtMs: "plain",
    completedAtMs: "plain",
    charged: "plain",
    assets: "plain",
    warnings: "plain",
  }),
  failed: rowForm<Of<FailedJob>>({
    ...ofJob,
    startedAtMs: "plain",
    completedAtMs: "plain",
    charged: "plain",
    failure: "plain",
  }),
  canceled: rowForm<Of<CanceledJob>>({
    ...ofJob,
    startedAtMs: "plain",
    completedAtMs: "plain",
    stage: "plain",
    providerCancel: "plain",
    settlement: "plain",
    canceledBy: "plain",
    awaits: "plain",
  }),
});

const asked = rowForm<JobRequest>({
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
});

const media = rowForm<Media>({
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
  origin: rowForm<EachOf<Origin>>({
    job: "plain",
    filename: "plain",
    render: "plain",
    user: "plain",
  }),
} as const;
const namedByOwner = { displayName: "plain", tags: "plain", favorite: "plain" } as const;
const ofUpload = { ...ofAsset, upload: "plain", ...namedByOwner } as const;

const asset = kindsForm<"phase", Asset>("phase", {
  pending_upload: rowForm<Of<PendingAsset>>(ofUpload),
  abandoned: rowForm<Of<AbandonedUpload>>({ ...ofUpload, as: "plain", untilMs: "plain" }),
  processing: rowForm<Of<ProcessingAsset>>({
    ...ofUpload,
    bytes: "plain",
    token: "plain",
    attempts: "plain",
  }),
  ready: rowForm<Of<ReadyAsset>>({ ...ofAsset, media, upload: "plain", ...namedByOwner }),
  failed: rowForm<Of<FailedAsset>>({
    ...ofUpload,
    bytes: "plain",
    reason: "plain",
    untilMs: "plain",
  }),
  trashed: rowForm<Of<TrashedAsset>>({ ...ofAsset, media, trashedAtMs: "plain", ...namedByOwner }),
});

export const forms: Forms = new Map([
  [codes.account, account],
  [codes.ledger, ledger],
  [codes.job, job],
  [codes.jobRequest, asked],
  [codes.asset, asset],
]);
