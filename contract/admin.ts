/** Requests and answers for operators only. */
import { limits } from "../config/limits.ts";
import { planNames } from "../config/plans.ts";
import { providerAdapters } from "../config/providers/provider-config.ts";
import { type Static, Type } from "../config/schema.ts";
import { Modality, nullable, strict, Timestamp, Uuid } from "./common.ts";
import { invariants } from "./invariants.ts";
import { failureKinds } from "./job.ts";

const Plan = Type.Enum([...planNames]);
const AccountStatus = Type.Enum(["active", "suspended"]);

/** An account's overrides; each is null where the plan's own limit applies. */
const Overrides = Type.Object({
  concurrent_max: nullable(Type.Integer()),
  generations_per_day: nullable(Type.Integer()),
  storage_bytes: nullable(Type.Integer()),
});

const common = {
  id: Uuid,
  plan: Plan,
  status: AccountStatus,
  limits: Overrides,
  balance_credits: nullable(Type.Integer()),
  created_at: Timestamp,
};

export const AdminAccount = Type.Object(
  {
    ...common,
    email: Type.String(),
    display_name: Type.String(),
  },
  { title: "AdminAccount" },
);
export type AdminAccount = Static<typeof AdminAccount>;

export const AdminAccountPage = Type.Object(
  {
    items: Type.Array(AdminAccount),
    next_cursor: nullable(Type.String()),
    total: Type.Integer(),
  },
  { title: "AdminAccountPage" },
);

export const AdminOrganization = Type.Object(
  {
    ...common,
    name: Type.String(),
    slug: Type.String(),
  },
  { title: "AdminOrganization" },
);
export type AdminOrganization = Static<typeof AdminOrganization>;

const limit = (maximum: number) =>
  Type.Optional(Type.Union([Type.Integer({ minimum: 0, maximum }), Type.Null()]));

/** Body of `PATCH /admin/accounts/{id}` and `/admin/organizations/{id}`; null: plan's limit. */
export const PatchTermsRequest = strict({
  plan: Type.Optional(Plan),
  status: Type.Optional(AccountStatus),
  limits: Type.Optional(
    strict({
      concurrent_max: limit(10_000),
      generations_per_day: limit(1_000_000_000),
      storage_bytes: limit(2 ** 50),
    }),
  ),
});
export type PatchTermsRequest = Static<typeof PatchTermsRequest>;

/** Grants credits; a negative amount takes credits back. */
export const CreditsRequest = strict({
  amount: Type.Integer({ minimum: -limits.admin.creditsMax, maximum: limits.admin.creditsMax }),
  note: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
});
export type CreditsRequest = Static<typeof CreditsRequest>;

export const CreditsGiven = Type.Object(
  {
    id: Uuid,
    balance_credits: Type.Integer(),
    held_credits: Type.Integer(),
  },
  { title: "CreditsGiven" },
);

/** The model catalogue that is in use now. */
export const CatalogueLoaded = Type.Object(
  { version: Type.String(), updated_at: Timestamp, models: Type.Integer() },
  { title: "CatalogueLoaded" },
);

/** An invariant of an account that does not hold. */
const BrokenInvariant = Type.Object({
  account_id: Uuid,
  invariant: Type.Enum([...invariants]),
  detail: Type.String(),
  expected: Type.Integer(),
  found: Type.Integer(),
});

/** `moving` lists accounts that changed during each attempt to check them. */
export const InvariantPage = Type.Object(
  {
    items: Type.Array(BrokenInvariant),
    next_cursor: nullable(Type.String()),
    accounts: Type.Integer(),
    jobs: Type.Integer(),
    moving: Type.Array(Uuid),
  },
  { title: "InvariantPage" },
);
export type InvariantPage = Static<typeof InvariantPage>;

export const AuditEntry = Type.Object(
  {
    id: Type.String(),
    actor: Type.String(),
    action: Type.String(),
    target: Type.String(),
    at: Timestamp,
    request_id: Type.String(),
    address: Type.String(),
  },
  { title: "AuditEntry" },
);

export const AuditPage = Type.Object(
  {
    items: Type.Array(AuditEntry),
    next_cursor: nullable(Type.String()),
  },
  { title: "AuditPage" },
);

/** A provider of models, without the keys and URLs of its entry. */
export const AdminProvider = Type.Object(
  {
    name: Type.String(),
    adapter: Type.Enum([...providerAdapters]),
    status: Type.Enum(["up", "degraded", "down"]),
    paused: Type.Boolean(),
    in_flight: Type.Integer(),
    waiting: Type.Integer(),
    max_in_flight: nullable(Type.Integer()),
    callback: Type.Enum(["none", "signed", "token_only"]),
    cancel: Type.Enum(["none", "queued_only", "any"]),
    last_error_at: Type.Optional(Timestamp),
  },
  { title: "AdminProvider" },
);
export type AdminProvider = Static<typeof AdminProvider>;

export const AdminProviderList = Type.Object(
  { items: Type.Array(AdminProvider) },
  { title: "AdminProviderList" },
);
export type AdminProviderList = Static<typeof AdminProviderList>;

/** The job's state will be read at its provider as soon as possible. */
export const ReadRequeued = Type.Object(
  { status: Type.Enum(["accepted"]) },
  { title: "ReadRequeued" },
);

/** A node that is part of the service, or that takes tasks from it. */
export const AdminNode = Type.Object(
  {
    id: Type.String(),
    /** Name that the operator gave it, or that of its host. */
    name: Type.String(),
    kind: Type.Enum(["engine", "farm"]),
    address: Type.String(),
    version: nullable(Type.String()),
    status: Type.Enum(["live", "draining", "gone"]),
    shards: Type.Array(
      Type.Object({ shard: Type.Integer(), role: Type.Enum(["owner", "standby"]) }),
    ),
    tasks: Type.Integer(),
    /** How many tasks a farm node runs at once; 0 for an engine node. */
    slots: Type.Integer(),
    /** What keeps the node from taking part in the cluster, as sentences for the operator. */
    warnings: Type.Array(Type.String()),
    started_at: Timestamp,
    last_seen_at: Timestamp,
  },
  { title: "AdminNode" },
);
export type AdminNode = Static<typeof AdminNode>;

export const AdminNodeList = Type.Object(
  { items: Type.Array(AdminNode) },
  { title: "AdminNodeList" },
);
export type AdminNodeList = Static<typeof AdminNodeList>;

/**
 * `accepted` counts jobs. `requests` and the answer times are those of the API, without the time
 * for which a request was held on purpose.
 */
export const OverviewMinute = Type.Object(
  {
    at: Timestamp,
    accepted: Type.Integer(),
    succeeded: Type.Integer(),
    failed: Type.Integer(),
    canceled: Type.Integer(),
    requests: Type.Integer(),
    server_errors: Type.Integer(),
    answer_p50_ms: nullable(Type.Number()),
    answer_p99_ms: nullable(Type.Number()),
  },
  { title: "OverviewMinute" },
);
export type OverviewMinute = Static<typeof OverviewMinute>;

/** Sums over all nodes; `silent_nodes` are live nodes that returned no figures. */
export const AdminOverview = Type.Object(
  {
    at: Timestamp,
    /** Complete minutes of the last hour, the oldest first. */
    minutes: Type.Array(OverviewMinute),
    /** The current minute. */
    current: OverviewMinute,
    jobs: Type.Array(
      Type.Object({ modality: Modality, queued: Type.Integer(), running: Type.Integer() }),
    ),
    credits_held: Type.Integer(),
    renders_waiting: Type.Integer(),
    streams: Type.Integer(),
    waits: Type.Integer(),
    replication_lag: Type.Integer(),
    store_bytes: Type.Integer(),
    silent_nodes: Type.Array(Type.String()),
  },
  { title: "AdminOverview" },
);
export type AdminOverview = Static<typeof AdminOverview>;

/** A task that a farm node has; `id` is that of the job, render or asset that needs it. */
export const AdminTask = Type.Object(
  {
    id: Uuid,
    kind: Type.String(),
    account_id: Uuid,
    node: Type.String(),
    started_at: Timestamp,
    progress: Type.Number(),
    has_thumbnail: Type.Boolean(),
  },
  { title: "AdminTask" },
);
export type AdminTask = Static<typeof AdminTask>;

/** Running tasks, the oldest first; `waiting` counts tasks that no farm node has. */
export const AdminTaskList = Type.Object(
  {
    items: Type.Array(AdminTask),
    waiting: Type.Array(Type.Object({ kind: Type.String(), tasks: Type.Integer() })),
  },
  { title: "AdminTaskList" },
);
export type AdminTaskList = Static<typeof AdminTaskList>;

/** Jobs that failed for the same reason. */
export const AdminFailure = Type.Object(
  {
    code: Type.String(),
    kind: Type.Enum([...failureKinds]),
    model: Type.String(),
    jobs: Type.Integer(),
    last_at: Timestamp,
    last_job_id: Uuid,
    last_message: Type.String(),
  },
  { title: "AdminFailure" },
);
export type AdminFailure = Static<typeof AdminFailure>;

/** The most frequent failures first. Incomplete where more jobs were created than are examined. */
export const AdminFailureList = Type.Object(
  {
    items: Type.Array(AdminFailure),
    since: Timestamp,
    is_complete: Type.Boolean(),
  },
  { title: "AdminFailureList" },
);
export type AdminFailureList = Static<typeof AdminFailureList>;
