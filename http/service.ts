/**
 * The dependencies of every route: the engine's gateway and a few shared objects. Each folder of
 * routes adds its own members to `Service`, in the file that defines them (`declare module`), so
 * that this file depends on no resource.
 */

import type { Catalogue } from "../config/catalogue.ts";
import type { ProviderConfig } from "../config/providers/provider-config.ts";
import type { Gateway } from "../engine/gateway.ts";
import type { IdMint } from "../engine/id.ts";
import type { Tally } from "../engine/metrics/tally.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { Entropy } from "../engine/ports/entropy.ts";
import type { Objects } from "../engine/ports/objects.ts";
import type { Traces } from "../engine/ports/traces.ts";
import type { Writing } from "../timeline/export/writing.ts";
import type { Written } from "../timeline/export-thread/archive.ts";
import type { Principals } from "./auth/principals.ts";
import type { RateClasses } from "./auth/rate-classes.ts";
import type { SignedUrls } from "./auth/signed-urls.ts";
import type { RequestLog } from "./request-log.ts";
import type { TrustedProxies } from "./transport/trusted-proxies.ts";

/** Identity of this node, from its start to its end. */
export interface OwnNode {
  readonly id: string;
  /** Name of the node for operators. */
  readonly name: string;
  /** Host and port at which other nodes reach it; on a single machine, clients. */
  readonly address: string;
  readonly startedAtMs: number;
}

export interface Service {
  readonly version: string;
  readonly self: OwnNode;
  /** Base URL with the version prefix, for example `http://127.0.0.1:8080/v1`. */
  readonly baseUrl: string;
  readonly gateway: Gateway;
  readonly principals: Principals;
  /** Origins whose pages may read answers that are not open to every origin. */
  readonly corsOrigins: ReadonlySet<string>;
  /** Addresses that are not counted as clients where requests are counted by address. */
  readonly proxies: TrustedProxies;
  /** Undefined when the operator disabled the rate limits. */
  readonly rates: RateClasses | undefined;
  /** The catalogue as last loaded; the same holds for the providers. */
  readonly catalogue: Catalogue;
  readonly providers: readonly ProviderConfig[];
  /** Throws `CatalogueError` and `ProviderFileError`; then the old catalogue stays in use. */
  reloadCatalogue(): void;
  readonly clock: Clock;
  readonly ids: IdMint;
  readonly entropy: Entropy;
  readonly objects: Objects;
  readonly signedUrls: SignedUrls;
  /** Throws `PortError`, which is not retryable when the export exceeds the limits. */
  readonly writeExport: WriteExport;
  readonly health: Health;
  /** Counters for operators. */
  readonly tally: Tally;
  /** Undefined when no span collector is configured. */
  readonly traces: Traces | undefined;
  /** Log of requests; `onFault` logs server-side faults. */
  readonly requests: RequestLog;
  readonly onFault: (requestId: string, error: unknown) => void;
}

/** Writes an export outside of the thread that serves requests. */
export type WriteExport = (writing: Writing) => Promise<Written>;

export type CheckState = "ok" | "degraded" | "down";

export interface Health {
  /** Set while the disk has less free space than new work may need. */
  isDiskLow: boolean;
  /** Set while the object store does not answer. */
  areObjectsAway: boolean;
  /** Set from the moment of the signal to stop, or of the operator's order to drain. */
  isDraining: boolean;
  /** Degraded: this node has no farm; down: its farm has no running node. */
  renderers: CheckState;
}
