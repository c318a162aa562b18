/**
 * The typed client of the API: what the command line and the bench speak through.
 *
 * 1. Every call throws `ApiProblem` or `Unreachable` (`call.ts`) and nothing else.
 * 2. Reads are repeated through silence, 502 and 503; writes are not.
 * 3. Except a submit: it carries an Idempotency-Key, so it is repeated with the same key when its
 *    answer got lost. The 409 of such a repeat names the job that the lost answer was about, and
 *    that job is returned: one call, at most one charge.
 */
import { randomUUID } from "node:crypto";
import type {
  CreateAccountRequest,
  CreatedAccount,
  Credits,
  User,
} from "../../actors/contract/account.ts";
import type {
  AdminNode,
  AdminNodeList,
  AdminProvider,
  AdminProviderList,
  InvariantPage,
} from "../../actors/contract/admin.ts";
import type {
  AgentSession,
  AgentSessionPage,
  AgentTurn,
  CreateTurnRequest,
} from "../../actors/contract/agent.ts";
import type { Asset, AssetPage } from "../../actors/contract/asset.ts";
import type { Static } from "../../actors/contract/common.ts";
import type {
  CloneCompositionRequest,
  Composition,
  CompositionPage,
  CreateCompositionRequest,
  ExportFormat,
} from "../../actors/contract/composition.ts";
import type { JobCostQuote, JobCostRequest } from "../../actors/contract/cost.ts";
import type {
  EnhancedPrompt,
  EnhancePromptRequest,
  GenerateImageRequest,
} from "../../actors/contract/generation.ts";
import type { Job, JobPage, SseTicket } from "../../actors/contract/job.ts";
import type { BlocksRequest, Render, RenderRequest } from "../../actors/contract/render.ts";
import type { OutputSet } from "../../actors/contract/set.ts";
import type { CreateShareRequest, ShareLink, ShareList } from "../../actors/contract/share.ts";
import type { CreatedToken, CreateTokenRequest, TokenList } from "../../actors/contract/token.ts";
import type { ModelEntry } from "../../config/catalogue.ts";
import { type Address, ApiProblem, open, openUrl, repeatCall, request } from "./call.ts";

/** That an export may take, besides the time of any answer. */
const exportMs = 30_000;

/** Undefined is as good as absent: JSON leaves it out. */
type Sparse<T> = { readonly [K in keyof T]: T[K] | undefined };
export type ImageRequest = Sparse<GenerateImageRequest>;
export type AccountRequest = Sparse<CreateAccountRequest>;

/** Of the catalogue's entries, what is read here. */
interface ModelPage {
  readonly items: readonly Pick<ModelEntry, "id" | "display_name" | "modality" | "status">[];
}

export class Client {
  readonly origin: string;
  private readonly address: Address;
  private isAnswered = false;

  constructor(address: Address) {
    this.origin = address.origin;
    this.address = address;
  }

  submitImage(image: ImageRequest, idempotencyKey: string = randomUUID()): Promise<Job> {
    return this.submit("/generate/image", image, idempotencyKey);
  }

  /** To any route that answers 202 with a job. */
  submit(path: string, body: object, idempotencyKey: string = randomUUID()): Promise<Job> {
    return this.patiently(async (tried) => {
      try {
        return await this.post<Job>(path, body, idempotencyKey);
      } catch (fault) {
        const isDuplicate = fault instanceof ApiProblem && fault.status === 409;
        if (tried === 0 || !isDuplicate || fault.jobId === undefined) throw fault;
        return await this.job(fault.jobId);
      }
    });
  }

  job(id: string): Promise<Job> {
    return this.get<Job>(jobPath(id));
  }

  jobs(query: Readonly<Record<string, string>>): Promise<Static<typeof JobPage>> {
    return this.get(`/jobs?${new URLSearchParams(query)}`);
  }

  /** The terminal job, or undefined when the window (at most 240 s) closes first. */
  async wait(id: string, seconds: number): Promise<Job | undefined> {
    try {
      const path = `${jobPath(id)}/wait?timeout_seconds=${seconds}`;
      return await this.get<Job>(path, seconds * 1_000);
    } catch (fault) {
      if (fault instanceof ApiProblem && fault.status === 408) return undefined;
      throw fault;
    }
  }

  cancel(id: string): Promise<Job> {
    return this.post(`${jobPath(id)}/cancel`);
  }

  /** For the stream of what a path names; see `jobPath` and `renderPath`. */
  ticket(path: string): Promise<Static<typeof SseTicket>> {
    return this.post(`${path}/sse-ticket`);
  }

  /** The open event stream; the ticket is its credential. */
  openStream(path: string, ticket: string): Promise<Response> {
    const url = `${this.origin}/v1${path}/sse?ticket=${encodeURIComponent(ticket)}`;
    return openUrl(this.origin, url, {});
  }

  createComposition(composition: Sparse<CreateCompositionRequest>): Promise<Composition> {
    return this.post("/compositions", composition);
  }

  /** All files of a composition by those of a ZIP archive, whole or not at all. */
  replaceBundle(id: string, archive: () => ReadableStream<Uint8Array>): Promise<Composition> {
    const path = `${compositionPath(id)}/bundle`;
    return this.patiently(() => request(this.address, { method: "POST", path, archive }));
  }

  compositions(
    filters: Readonly<Record<string, string | undefined>>,
  ): Promise<Static<typeof CompositionPage>> {
    return this.get(`/compositions?${queryOf(filters)}`);
  }

  composition(id: string): Promise<Composition> {
    return this.get(compositionPath(id));
  }

  cloneComposition(id: string, changes: Sparse<CloneCompositionRequest>): Promise<Composition> {
    return this.post(`${compositionPath(id)}/clone`, changes);
  }

  /** The open answer with the bytes of a file. */
  compositionFile(id: string, path: string): Promise<Response> {
    const place = `${compositionPath(id)}/file?${new URLSearchParams({ path })}`;
    return this.patiently(() => open(this.address, { method: "GET", path: place }));
  }

  submitRender(id: string, body: Sparse<RenderRequest>): Promise<Render> {
    return this.submitFilm(`${compositionPath(id)}/render`, body);
  }

  submitBlocks(body: BlocksRequest): Promise<Render> {
    return this.submitFilm("/renders/blocks", body);
  }

  /** As `submit`: one call, at most one render. */
  private submitFilm(path: string, body: object): Promise<Render> {
    const key = randomUUID();
    return this.patiently(async (tried) => {
      try {
        return await this.post<Render>(path, body, key);
      } catch (fault) {
        if (tried === 0 || !(fault instanceof ApiProblem) || fault.renderId === undefined)
          throw fault;
        return await this.render(fault.renderId);
      }
    });
  }

  /** The archive, its body unread; made while the request waits. */
  exportComposition(id: string, format: ExportFormat): Promise<Response> {
    const path = `/compositions/${encodeURIComponent(id)}/export?format=${format}`;
    const call = { method: "GET", path, heldMs: exportMs } as const;
    return this.patiently(() => open(this.address, call));
  }

  render(id: string): Promise<Render> {
    return this.get(renderPath(id));
  }

  /** The file in one request; the asset is still being looked into. */
  upload(filename: string, file: Blob): Promise<Asset> {
    const form = new FormData();
    form.append("file", file, filename);
    return request(this.address, { method: "POST", path: "/assets", form });
  }

  asset(id: string): Promise<Asset> {
    return this.get(assetPath(id));
  }

  /** A signed address needs no credential and must not be shown one. */
  download(signedUrl: string): Promise<Response> {
    return openUrl(this.origin, signedUrl, {});
  }

  me(): Promise<User> {
    return this.get("/me");
  }

  credits(): Promise<Static<typeof Credits>> {
    return this.get("/me/credits");
  }

  quote(request: Sparse<JobCostRequest>): Promise<Static<typeof JobCostQuote>> {
    return this.post("/jobs/cost", request);
  }

  enhancePrompt(request: Sparse<EnhancePromptRequest>): Promise<Static<typeof EnhancedPrompt>> {
    return this.post("/generate/video/enhance-prompt", request);
  }

  submitSet(request: object): Promise<Static<typeof OutputSet>> {
    return this.post("/generate/set", request, randomUUID());
  }

  set(id: string): Promise<Static<typeof OutputSet>> {
    return this.get(`/sets/${encodeURIComponent(id)}`);
  }

  assets(filters: Readonly<Record<string, string | undefined>>): Promise<Static<typeof AssetPage>> {
    return this.get(`/assets?${queryOf(filters)}`);
  }

  deleteAsset(id: string, isPermanent: boolean): Promise<void> {
    const path = `/assets/${encodeURIComponent(id)}?permanent=${isPermanent}`;
    return request(this.address, { method: "DELETE", path });
  }

  restoreAsset(id: string): Promise<Asset> {
    return this.post(`/assets/${encodeURIComponent(id)}/restore`);
  }

  /** Of what a path names; see `renderPath` and `assetPath`. */
  share(path: string, share: Sparse<CreateShareRequest>): Promise<ShareLink> {
    return this.post(`${path}/share`, share);
  }

  shares(path: string): Promise<ShareList> {
    return this.get(`${path}/share`);
  }

  /** `link` is its id or its token. */
  revokeShare(path: string, link: string): Promise<void> {
    const place = `${path}/share/${encodeURIComponent(link)}`;
    return request(this.address, { method: "DELETE", path: place });
  }

  createAgentSession(): Promise<AgentSession> {
    return this.post("/agent/sessions", {});
  }

  agentSessions(): Promise<Static<typeof AgentSessionPage>> {
    return this.get("/agent/sessions");
  }

  startAgentTurn(session: string, turn: Sparse<CreateTurnRequest>): Promise<AgentTurn> {
    return this.post(`/agent/sessions/${encodeURIComponent(session)}/turns`, turn);
  }

  interruptAgent(session: string): Promise<AgentTurn> {
    return this.post(`/agent/sessions/${encodeURIComponent(session)}/interrupt`, {});
  }

  models(): Promise<ModelPage> {
    return this.get("/models");
  }

  createAccount(account: AccountRequest): Promise<CreatedAccount> {
    return this.post("/admin/accounts", account);
  }

  /** What is broken in the accounts of one page, from the first or where the last page ended. */
  invariants(cursor: string | undefined): Promise<InvariantPage> {
    const from = cursor === undefined ? "" : `?cursor=${encodeURIComponent(cursor)}`;
    return this.get(`/admin/invariants${from}`);
  }

  nodes(): Promise<AdminNodeList> {
    return this.get("/admin/nodes");
  }

  drainNode(id: string): Promise<AdminNode> {
    return this.post(`/admin/nodes/${encodeURIComponent(id)}:drain`, {});
  }

  providers(): Promise<AdminProviderList> {
    return this.get("/admin/providers");
  }

  pauseProvider(name: string, isPaused: boolean): Promise<AdminProvider> {
    const verb = isPaused ? "pause" : "resume";
    return this.post(`/admin/providers/${encodeURIComponent(name)}:${verb}`, {});
  }

  createToken(token: Sparse<CreateTokenRequest>): Promise<CreatedToken> {
    return this.post("/tokens", token);
  }

  tokens(): Promise<Static<typeof TokenList>> {
    return this.get("/tokens");
  }

  revokeToken(id: string): Promise<void> {
    const path = `/tokens/${encodeURIComponent(id)}`;
    return request(this.address, { method: "DELETE", path });
  }

  private get<T>(path: string, heldMs = 0): Promise<T> {
    return this.patiently(() => request<T>(this.address, { method: "GET", path, heldMs }));
  }

  private async post<T>(path: string, body?: object, idempotencyKey?: string): Promise<T> {
    const answer = await request<T>(this.address, {
      method: "POST",
      path,
      ...(body && { body }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
    this.isAnswered = true;
    return answer;
  }

  private async patiently<T>(call: (tried: number) => Promise<T>): Promise<T> {
    const answer = await repeatCall(call, () => this.isAnswered);
    this.isAnswered = true;
    return answer;
  }
}

function compositionPath(id: string): string {
  return `/compositions/${encodeURIComponent(id)}`;
}

/** Without what is undefined. */
function queryOf(filters: Readonly<Record<string, string | undefined>>): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters))
    if (value !== undefined) query.set(name, value);
  return query;
}

export function renderPath(id: string): string {
  return `/renders/${encodeURIComponent(id)}`;
}

export function assetPath(id: string): string {
  return `/assets/${encodeURIComponent(id)}`;
}

export function jobPath(id: string): string {
  return `/jobs/${encodeURIComponent(id)}`;
}
