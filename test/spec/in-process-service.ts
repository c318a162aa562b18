/**
 * The whole service in one thread without sockets, for tests of the specification: the real route
 * table, actors and engine on memory stores, a clock that the test moves, and dice that fall the
 * same every time. A promise that breaks anywhere fails its test when it ends.
 */

import type { Test } from "tap";
import { hashPassword as hashPasswordNow, type PasswordTask } from "../../actors/share/password.ts";
import { readConfiguration } from "../../config/configuration.ts";
import type { Static } from "../../config/schema.ts";
import type { CreateAccountRequest, CreatedAccount } from "../../contract/account.ts";
import type { SseTicket } from "../../contract/job.ts";
import type { FromEffectsThread } from "../../effects/effects-messages.ts";
import type { HubPorts } from "../../effects/provider-hub.ts";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { memoryObjects } from "../../engine/adapters/objects/memory-objects.ts";
import { createSeededEntropy } from "../../engine/adapters/seeded-entropy.ts";
import { openWeb } from "../../engine/adapters/web.ts";
import { invariant } from "../../engine/invariant.ts";
import type { Span } from "../../engine/ports/traces.ts";
import { previewPage } from "../../film/preview/preview-page.ts";
import { Api } from "../../http/api.ts";
import { bootstrap } from "../../http/bootstrap.ts";
import { FigmaHost } from "../../http/compositions/figma-host.ts";
import type { Answer } from "../../http/exchange/answer.ts";
import { Minutes } from "../../http/metrics/minutes.ts";
import { gatherSamples } from "../../http/metrics/node-samples.ts";
import { RequestLog } from "../../http/request-log.ts";
import { routeTable } from "../../http/route-table.ts";
import type { Service } from "../../http/service.ts";
import type { HashPassword } from "../../http/shares/share-passwords.ts";
import { TrustedProxies } from "../../http/transport/trusted-proxies.ts";
import { wire } from "../../http/wiring.ts";
import { simulatedMedia } from "../../providers/simulated/simulated-media.ts";
import { archiveExport } from "../../timeline/export-thread/archive.ts";
import { runFigmaTask } from "../../timeline/figma/figma-task.ts";
import { timelineRound } from "../../timeline/timeline-thread/timeline-round.ts";
import { Caller, type RequestParts } from "./caller.ts";
import { EventReader } from "./event-reader.ts";
import { FarmDouble } from "./farm-double.ts";
import { type InProcessEngine, openEngine } from "./in-process-engine.ts";

export const origin = "https://klieg.example";
export const adminToken = "the-token-of-the-first-account";
/** Start of each service: a full minute, so that rate windows begin with the test; a Wednesday. */
export const startMs = Date.parse("2026-04-15T12:00:00Z");

export interface InProcessOptions {
  readonly shardCount?: number;
  /** Whether rate classes are on; they are off unless they are what is tested. */
  readonly rates?: boolean;
  readonly simulatedModels?: boolean;
  readonly modelFiles?: readonly string[];
  readonly providersFile?: string;
  /** Environment in which the file of providers finds its secrets. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Opens the providers of the file; without it none is expected. */
  readonly openProvider?: HubPorts["open"];
  readonly corsOrigins?: readonly string[];
  readonly trustedProxies?: readonly string[];
  /** The origin of a double of the design host. */
  readonly figmaUrl?: string;
  /** Hashes passwords; the default is the real hash, at once. */
  readonly hashPassword?: HashPassword;
}

export class InProcess {
  readonly api: Api;
  readonly service: Service;
  readonly clock: ManualClock;
  readonly faults: unknown[];
  readonly engine: InProcessEngine;
  /** Lines of the log about requests. */
  readonly requests: readonly object[];
  /** Spans that tracing tools were sent. */
  readonly spans: Span[];
  /** A caller with every scope. */
  readonly admin: Caller;
  /** A caller without any credential. */
  readonly stranger: Caller;
  private accounts = 0;

  constructor(
    service: Service,
    clock: ManualClock,
    faults: unknown[],
    engine: InProcessEngine,
    requests: readonly object[],
    spans: Span[],
  ) {
    this.requests = requests;
    this.spans = spans;
    this.service = service;
    this.api = new Api(service, routeTable);
    this.clock = clock;
    this.faults = faults;
    this.engine = engine;
    this.admin = new Caller(this.api, adminToken, "");
    this.stranger = new Caller(this.api, undefined, "");
  }

  /** Creates a user with a token of all scopes but `admin`. */
  async account(request: Partial<CreateAccountRequest> = {}): Promise<Caller> {
    const email = `user-${++this.accounts}@klieg.example`;
    const body = { email, plan: "pro", issue_token: true, ...request };
    const { status, json } = await this.admin.post<CreatedAccount>("/v1/admin/accounts", body);
    invariant(status === 201, `the account was created: ${JSON.stringify(json)}`);
    await this.settle();
    return new Caller(this.api, json.token, json.id);
  }

  farmNode(slots = 1): FarmDouble {
    return new FarmDouble(this.service.objects, (node) => this.engine.broker.attach(node), slots);
  }

  /** Lets time pass in steps, with all that it causes on the way. */
  async advance(byMs: number): Promise<void> {
    const stepMs = Math.max(250, Math.ceil(byMs / 2_000));
    await this.settle();
    for (let leftMs = byMs; leftMs > 0; leftMs -= stepMs) {
      this.clock.advance(Math.min(stepMs, leftMs));
      await this.settle();
    }
  }

  settle(): Promise<void> {
    return this.engine.settle();
  }

  /** Returns the answer as a route gives it, before anything is sent. */
  async answer(method: string, path: string, parts: RequestParts = {}): Promise<Answer> {
    return this.stranger.answer(method, path, parts);
  }

  async ticket(caller: Caller, job: string): Promise<string> {
    const path = `/v1/jobs/${job}/sse-ticket`;
    const { json } = await caller.post<Static<typeof SseTicket>>(path);
    return json.ticket;
  }

  /** Mints a ticket and opens the stream with it. */
  async follow(caller: Caller, job: string): Promise<EventReader> {
    const ticket = await this.ticket(caller, job);
    const { status, body } = await this.answer("GET", `/v1/jobs/${job}/sse?ticket=${ticket}`);
    invariant(status === 200 && typeof body !== "string", "the stream opens");
    return new EventReader(body);
  }
}

export async function openInProcess(t: Test, options: InProcessOptions = {}): Promise<InProcess> {
  const { shardCount = 1, rates = false, simulatedModels = true } = options;
  const { corsOrigins = [], trustedProxies = [], figmaUrl = "http://127.0.0.1:9" } = options;
  const { hashPassword = async (task: PasswordTask) => hashPasswordNow(task) } = options;
  const clock = new ManualClock(startMs);
  const entropy = createSeededEntropy(7);
  const faults: unknown[] = [];
  const requests: object[] = [];
  const spans: Span[] = [];
  const onFault = (error: unknown) => faults.push(error);
  const objects = memoryObjects();
  for (const { bytes, media } of Object.values(simulatedMedia))
    await objects.put(media.objectKey, [bytes]);
  const { openProvider = refuseProvider } = options;
  const { modelFiles = ["shipped"], providersFile, environment = {} } = options;
  const read = () => readConfiguration({ modelFiles, providersFile, simulatedModels }, environment);
  const service = wire({
    version: "0.0.0-test",
    self: { id: "node", name: "stage", address: "127.0.0.1:8080", startedAtMs: startMs },
    origin,
    shareOrigin: origin,
    shardCount,
    clock,
    entropy,
    objects,
    configuration: read(),
    readConfiguration: read,
    corsOrigins,
    computeRound: async (task) => timelineRound(task),
    writePage: previewPage,
    writeExport: archiveExport,
    figma: new FigmaHost(openWeb(), figmaUrl, async (task) => runFigmaTask(task)),
    hashPassword,
    readFirstToken: () => adminToken,
    hasRates: rates,
    proxies: new TrustedProxies(trustedProxies),
    renderers: "ok",
    traces: { record: (span) => void spans.push(span), close: async () => {} },
    requests: new RequestLog({
      line: (level, line) => requests.push({ level, ...line }),
      onSkip: (missing) => requests.push({ missing }),
    }),
    onFault: (_, error) => onFault(error),
  });
  const { gateway, clock: processClock } = service;
  const parts = { gateway, shardCount, clock, processClock, entropy, objects, onFault };
  const { line } = service;
  const onEffects = (message: FromEffectsThread) => queueMicrotask(() => line.onMessage(message));
  const onSpan = (span: Span) => spans.push(span);
  const engine = await openEngine({ ...parts, openProvider, onEffects, onSpan });
  line.connect((message) => queueMicrotask(() => engine.hub.take(message)));
  const files = { read: () => undefined, writePrivate: () => {} };
  await bootstrap(gateway, service, files, adminToken);
  line.begin();
  const { askSamples } = engine;
  const gather = () => gatherSamples({ service, askShards: askSamples, storeBytes: async () => 0 });
  service.minutes = await Minutes.begin(gather, clock);
  await engine.settle();
  t.teardown(() => {
    if (faults.length > 0) throw faults[0];
  });
  return new InProcess(service, clock, faults, engine, requests, spans);
}

/** Refuses to open a provider: providers have tests of their own. */
function refuseProvider(): never {
  throw new Error("no provider is configured here");
}
