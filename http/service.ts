/** The dependencies of every route: the engine's gateway and the few things that live beside it. */

import type { Writing } from "../actors/export/writing.ts";
import type { Written } from "../actors/export-thread/archive.ts";
import type { Catalogue } from "../config/catalogue.ts";
import type { ProviderConfig } from "../config/provider-config.ts";
import type { ClusterNodes } from "../engine/cluster/cluster-nodes.ts";
import type { Gateway } from "../engine/gateway.ts";
import type { IdMint } from "../engine/id.ts";
import type { Tally } from "../engine/metrics/tally.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { Entropy } from "../engine/ports/entropy.ts";
import type { Objects } from "../engine/ports/objects.ts";
import type { Traces } from "../engine/ports/traces.ts";
import type { HeldShard } from "../engine/shard-holds.ts";
import type { Principals } from "./auth/principals.ts";
import type { RateClasses } from "./auth/rate-classes.ts";
import type { SignedUrls } from "./auth/signed-urls.ts";
import type { Forwarder } from "./cluster/forwarder.ts";
import type { Warnings } from "./cluster/warnings.ts";
import type { CompositionTimelines } from "./compositions/composition-timelines.ts";
import type { FigmaHost } from "./compositions/figma-host.ts";
import type { JobReads } from "./jobs/job-reads.ts";
import type { Following } from "./jobs/job-watchers.ts";
import type { Quotes } from "./jobs/quotes.ts";
import type { Minutes } from "./metrics/minutes.ts";
import type { Cursors } from "./paging/cursors.ts";
import type { WritePage } from "./previews/open-preview.ts";
import type { PreviewTickets } from "./previews/preview-tickets.ts";
import type { StoredPreviews } from "./previews/stored-previews.ts";
import type { CallbackRates } from "./providers/callback-rates.ts";
import type { CallbackTokens } from "./providers/callback-tokens.ts";
import type { PausedProviders } from "./providers/paused-providers.ts";
import type { ProviderLine } from "./providers/provider-line.ts";
import type { RequestLog } from "./request-log.ts";
import type { ShareAccess } from "./shares/share-access.ts";
import type { TrustedProxies } from "./transport/trusted-proxies.ts";

/** Of this node, from its start to its end. */
export interface OwnNode {
  readonly id: string;
  /** Host and port: where other nodes reach it, or clients of a machine that is alone. */
  readonly address: string;
  readonly startedAtMs: number;
}

/** The other nodes. */
export interface Cluster {
  readonly nodes: ClusterNodes;
  readonly forwarder: Forwarder;
  /** This node owns and takes over nothing more, ends its streams, and goes on forwarding. */
  drain(): void;
  /** The shards that are owned here stand still; see `Host`. Rejects with a `PortError`. */
  hold(name: string): Promise<readonly HeldShard[]>;
  /** Whether they have stood still until now. */
  resume(name: string): boolean;
}

export interface Service {
  readonly version: string;
  readonly self: OwnNode;
  /** With the version prefix, for example `http://127.0.0.1:8080/v1`. */
  readonly baseUrl: string;
  readonly gateway: Gateway;
  readonly warnings: Warnings;
  /** Set once the other nodes can be reached; undefined for a machine that is alone. */
  cluster: Cluster | undefined;
  readonly principals: Principals;
  /** Whose pages may read what is not open to pages of any origin. */
  readonly corsOrigins: ReadonlySet<string>;
  /** What is no client wherever something is counted by address. */
  readonly proxies: TrustedProxies;
  /** Undefined when the operator lifted the rate classes. */
  readonly rates: RateClasses | undefined;
  /** As it was read last; so are the providers. */
  readonly catalogue: Catalogue;
  readonly providers: readonly ProviderConfig[];
  /** Throws `CatalogueError` and `ProviderFileError`; all stays as it was then. */
  reloadCatalogue(): void;
  readonly clock: Clock;
  readonly ids: IdMint;
  readonly entropy: Entropy;
  readonly objects: Objects;
  readonly signedUrls: SignedUrls;
  /** To the thread that asks providers. */
  readonly line: ProviderLine;
  readonly paused: PausedProviders;
  readonly callbackTokens: CallbackTokens;
  readonly callbackRates: CallbackRates;
  readonly shares: ShareAccess;
  readonly cursors: Cursors;
  readonly quotes: Quotes;
  readonly jobs: JobReads;
  readonly timelines: CompositionTimelines;
  readonly previewTickets: PreviewTickets;
  readonly previews: StoredPreviews;
  readonly writePage: WritePage;
  /** Throws `PortError`, not retryable when it takes too much. */
  readonly writeExport: WriteExport;
  readonly figma: FigmaHost;
  readonly following: Following;
  readonly health: Health;
  /** What is counted for operators. */
  readonly tally: Tally;
  /** Undefined where no collector takes spans. */
  readonly traces: Traces | undefined;
  /** Set once the shards can be asked. */
  minutes: Minutes | undefined;
  /** A fault of ours, for the operator's log. */
  readonly requests: RequestLog;
  readonly onFault: (requestId: string, error: unknown) => void;
}

/** Writes an export beside the thread of requests. */
export type WriteExport = (writing: Writing) => Promise<Written>;

export type CheckState = "ok" | "degraded" | "down";

export interface Health {
  /** Set while the disk has less free space than new work may need. */
  isDiskLow: boolean;
  /** Set while the object store does not answer. */
  areObjectsAway: boolean;
  /** Set from the signal to stop, or the operator's order to drain, on. */
  isDraining: boolean;
  /** Degraded: this node has no farm; down: no node of its farm is there. */
  renderers: CheckState;
}
