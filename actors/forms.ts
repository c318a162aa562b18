/**
 * How the tables that every generation writes spell their rows; the others spell them as JSON does.
 * Places may be appended, not moved.
 */
import { idOfBytes } from "../engine/id.ts";
import type { Key } from "../engine/key.ts";
import { type Forms, listForm, rowForm } from "../engine/row-form.ts";
import type { Account, LedgerRow } from "./account/account.ts";
import type { Asset, Media, Origin } from "./asset/asset.ts";
import type { Asked, Job, Terms } from "./job/job.ts";
import { codes, jobAtEnd } from "./tables.ts";

const idInKey = (key: Key) => idOfBytes(key, 2);

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

const job = rowForm<Job>({
  phase: "plain",
  terms,
  revision: "plain",
  updatedAtMs: "plain",
  startedAtMs: "plain",
  completedAtMs: "plain",
  charged: "plain",
  assets: "plain",
  deadlineMs: "plain",
  attempts: "plain",
  progress: "plain",
  token: "plain",
  events: "plain",
  detail: "plain",
  submitting: "plain",
  isAccepted: "plain",
  waits: "plain",
  inline: "plain",
  failure: "plain",
  stage: "plain",
  providerCancel: "plain",
  settlement: "plain",
  canceledBy: "plain",
  awaits: "plain",
});

const asked = rowForm<Asked>({
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
  surface: "plain",
  promptAs: "plain",
  enhancedPrompt: "plain",
  displayName: "plain",
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

const asset = rowForm<Asset>({
  phase: "plain",
  id: jobAtEnd,
  scope: idInKey,
  createdAtMs: "plain",
  origin: rowForm<Origin>({ job: "plain", filename: "plain", user: "plain", render: "plain" }),
  media,
  displayName: "plain",
  tags: "plain",
  favorite: "plain",
  upload: "plain",
  bytes: "plain",
  token: "plain",
  attempts: "plain",
  reason: "plain",
  as: "plain",
  untilMs: "plain",
  trashedAtMs: "plain",
});

export const forms: Forms = new Map([
  [codes.account, account],
  [codes.ledger, ledger],
  [codes.job, job],
  [codes.asked, asked],
  [codes.asset, asset],
]);
