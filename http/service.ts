/**
 * The dependencies of every route: the engine's gateway and the few things that live beside it.
 * A folder of routes adds its own to `Service`, in the file of what it adds (`declare module`), so
 * that this file depends on no resource.
 */

import type { Catalogue } from "../config/catalogue.ts";
import type { ProviderConfig } from "../config/provider-config.ts";
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

/** Of this node, from its start to its end. */
export interface OwnNode {
  readonly id: string;
  /** Host and port: where other nodes reach it, or clients of a machine that is alone. */
  readonly address: string;
  readonly startedAtMs: number;
}

export interface Service {
  readonly version: string;
  readonly self: OwnNode;
  /** With the version prefix, for example `http://127.0.0.1:8080/v1`. */
  readonly baseUrl: string;
  readonly gateway: Gateway;
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
  /** Throws `PortError`, not retryable when it takes too much. */
  readonly writeExport: WriteExport;
  readonly health: Health;
  /** What is counted for operators. */
  readonly tally: Tally;
  /** Undefined where no collector takes spans. */
  readonly traces: Traces | undefined;
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
