/**
 * Calls whose answer is the result, run inside this process.
 *
 *   submit --within 2 s--> busy, down, refused, or accepted with its end
 *      '--later--> running --> succeeded, failed; canceled by closing the connection
 *
 * 1. What is known of a call ends with this process: then it is lost.
 * 2. A call that was sent is never sent again: 5xx or an answer that breaks off fail its job.
 * 3. Results are held until their job is forgotten, all of them and each up to a bound.
 */

import type { CancelAnswer } from "../../actors/protocol/job.ts";
import { omitUndefined } from "../../config/defined.ts";
import { limits } from "../../config/limits.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import { type WebAnswer, WebError } from "../../engine/ports/web.ts";
import { readMembers, readText } from "../advice.ts";
import { isWhole, readFlags } from "../flags.ts";
import { moderationBy } from "../moderation.ts";
import {
  GoneError,
  type ProviderRef,
  type ProviderResult,
  type ProviderStatus,
  ReplyError,
  ResultError,
  type ResultFile,
  type SubmitOutcome,
} from "../provider.ts";
import type { ProviderHttp } from "../provider-http.ts";
import { fileBytes, readReply } from "../replies.ts";
import { checkFiles, holdFile } from "../result-files.ts";
import {
  broken,
  type FileList,
  type FindModeration,
  isFileList,
  refusalBy,
} from "./openai-replies.ts";
import type { OpenaiRequest } from "./openai-requests.ts";

export interface CallPorts {
  readonly http: ProviderHttp;
  readonly clock: Clock;
  readonly findModeration: FindModeration;
  /** Maximum size of one result. */
  readonly bytesMax: number;
  /** Maximum size of all results that are held. */
  readonly heldBytesMax: number;
}

interface Call {
  readonly abort: AbortController;
  status: ProviderStatus;
  result: ProviderResult | undefined;
  /** Bytes that are held for the call. */
  bytes: number;
  /** An error that is not explained by an answer of the provider. */
  fault?: unknown;
}

type Refusal = Exclude<SubmitOutcome, { kind: "accepted" }>;

interface HeldFile {
  readonly file: ResultFile;
  /** Bytes that the file holds in memory. */
  readonly held: number;
}

export class SynchronousCalls {
  private readonly ports: CallPorts;
  private readonly calls = new Map<ProviderRef, Call>();
  private bytes = 0;

  constructor(ports: CallPorts) {
    this.ports = ports;
  }

  async submit(
    ref: ProviderRef,
    request: OpenaiRequest,
    timeLeftMs: number,
  ): Promise<SubmitOutcome> {
    const abort = new AbortController();
    const call: Call = { abort, status: { state: "running" }, result: undefined, bytes: 0 };
    this.calls.set(ref, call);
    const running = this.run(call, request, timeLeftMs);
    const refusal = await this.within(limits.providers.synchronousMs, running);
    if (refusal === "later") {
      running.then(
        (late) => this.end(call, late),
        (error: unknown) => {
          call.fault = error;
        },
      );
      return { kind: "accepted", ref, status: call.status };
    }
    this.end(call, refusal);
    if (refusal === undefined) return { kind: "accepted", ref, status: call.status };
    this.forget(ref);
    return refusal;
  }

  status(ref: ProviderRef): ProviderStatus {
    const call = this.calls.get(ref);
    if (call?.fault !== undefined) throw call.fault;
    return call?.status ?? { state: "lost" };
  }

  result(ref: ProviderRef): ProviderResult {
    const result = this.calls.get(ref)?.result;
    if (result === undefined) throw new GoneError("the call has no result");
    return result;
  }

  cancel(ref: ProviderRef): CancelAnswer {
    const call = this.calls.get(ref);
    if (call === undefined) return { kind: "failed" };
    if (call.status.state !== "running") return { kind: "refused" };
    call.status = { state: "canceled" };
    call.abort.abort();
    return { kind: "requested" };
  }

  forget(ref: ProviderRef): void {
    const call = this.calls.get(ref);
    if (call === undefined) return;
    call.abort.abort();
    this.calls.delete(ref);
    this.hold(call, -call.bytes);
  }

  close(): void {
    for (const { abort } of this.calls.values()) abort.abort();
  }

  /** Resolves to undefined when the result is available. */
  private async run(
    call: Call,
    { path, answer: kind, call: asked }: OpenaiRequest,
    timeLeftMs: number,
  ): Promise<Refusal | undefined> {
    const { http, clock, findModeration } = this.ports;
    const { abort } = call;
    const stopTimer = clock.after(timeLeftMs, () => abort.abort());
    const headers = kind === "sound" ? { accept: "*/*" } : {};
    try {
      const sent = { ...asked, headers, silenceMs: timeLeftMs };
      const answer = await http.open(path, abort.signal, sent);
      if (answer.status !== 200) {
        const refusal = refusalBy(await readReply(answer), clock.nowMs(), findModeration);
        const isOurs = refusal.kind === "refused" || refusal.kind === "busy";
        return isOurs ? refusal : createFailure(broken);
      }
      call.result = await this.read(call, kind, answer);
      return call.result === undefined ? { kind: "refused", ...moderationBy("") } : undefined;
    } catch (error) {
      if (error instanceof WebError && !error.wasSent) return { kind: "down" };
      if (error instanceof ResultError) return createFailure(error.message);
      if (error instanceof ReplyError) return createFailure(incomprehensible);
      if (error instanceof PortError) return createFailure(broken);
      throw error;
    } finally {
      stopTimer();
    }
  }

  /** Ends a call. A result that arrives after the call was canceled is ignored. */
  private end(call: Call, refusal: Refusal | undefined): void {
    if (call.status.state !== "running") return;
    if (refusal === undefined) call.status = { state: "succeeded" };
    else if (refusal.kind === "refused") {
      const { kind: _, ...failure } = refusal;
      call.status = { state: "failed", ...failure, atOutput: failure.class !== "invalid_input" };
    } else {
      const failure = { class: "upstream", message: broken } as const;
      call.status = { state: "failed", ...failure, atOutput: false };
    }
  }

  /** The files, or undefined when a filter flagged all of them. */
  private async read(
    call: Call,
    kind: OpenaiRequest["answer"],
    answer: WebAnswer,
  ): Promise<ProviderResult | undefined> {
    if (kind === "sound" && !isSound(answer)) {
      answer.discard();
      throw new ReplyError("The provider's response is not audio.");
    }
    const { bytesMax } = this.ports;
    if (kind === "sound")
      return { files: [holdFile(await this.readBytes(call, answer, bytesMax))] };
    const bytes = await this.readBytes(call, answer, inlineCost * limits.fetch.filesMax * bytesMax);
    const { data } = fileList(bytes);
    const entries = data.filter((entry) => !isWhole(readFlags(entry)));
    const found = entries.flatMap((entry) => this.readFile(entry) ?? []);
    if (found.length === 0 && entries.length < data.length) return undefined;
    const files = checkFiles(found.map(({ file }) => file));
    this.hold(call, found.reduce((sum, { held }) => sum + held, 0) - call.bytes);
    const prompts = entries.map((entry) => readText(readMembers(entry)["revised_prompt"]));
    const enhancedPrompt = prompts.find((text) => text !== undefined && text !== "");
    return { files, ...omitUndefined({ enhancedPrompt }) };
  }

  /** A file with the number of bytes held in memory; undefined if the entry names no file. */
  private readFile(entry: unknown): HeldFile | undefined {
    const { b64_json: inline, url } = readMembers(entry);
    if (typeof inline === "string" && inline !== "") {
      const bytes = Buffer.from(inline, "base64");
      this.checkSize(bytes);
      return { file: holdFile(bytes), held: bytes.length };
    }
    const own = this.ports.http.ownUrl(url);
    if (own !== undefined) return { file: this.ownFile(own), held: 0 };
    const isOfWeb = typeof url === "string" && /^https?:\/\//i.test(url) && URL.canParse(url);
    return isOfWeb ? { file: { kind: "url", url }, held: 0 } : undefined;
  }

  /** A file on the provider's own origin, which may require its key. */
  private ownFile(url: string): ResultFile {
    const headers = { accept: "*/*" };
    return {
      kind: "stream",
      open: async (signal) => fileBytes(await this.ports.http.open(url, signal, { headers })),
    };
  }

  private async readBytes(call: Call, { body }: WebAnswer, bytesMax: number): Promise<Buffer> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) {
      if (call.bytes + chunk.length > bytesMax)
        throw new ReplyError("The provider's response is too large.");
      if (this.bytes + chunk.length > this.ports.heldBytesMax)
        throw new ReplyError("Too many results are waiting to be stored.");
      this.hold(call, chunk.length);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  private checkSize({ length }: Uint8Array): void {
    if (length > this.ports.bytesMax) throw new ResultError("The provider's result is too large.");
  }

  private hold(call: Call, bytes: number): void {
    call.bytes += bytes;
    this.bytes += bytes;
  }

  private async within<Answer>(waitMs: number, answer: Promise<Answer>): Promise<Answer | "later"> {
    let stopTimer = () => {};
    const later = new Promise<"later">((resolve) => {
      stopTimer = this.ports.clock.after(waitMs, () => resolve("later"));
    });
    try {
      return await Promise.race([answer, later]);
    } finally {
      stopTimer();
    }
  }
}

/** Upper bound of the factor by which base64 and JSON enlarge a file. */
const inlineCost = 2;

function createFailure(message: string): Refusal {
  return { kind: "refused", class: "upstream", message };
}

const incomprehensible = "The provider's response could not be interpreted.";

/** Whether an answer is sound; one without a content type is accepted too. */
function isSound({ headers }: WebAnswer): boolean {
  return /^(?:audio\/|application\/octet-stream|$)/i.test(headers["content-type"] ?? "");
}

function fileList(bytes: Buffer): FileList {
  let list: unknown;
  try {
    list = JSON.parse(bytes.toString("utf8"));
  } catch {
    list = undefined;
  }
  if (isFileList(list)) return list;
  throw new ReplyError("The provider's response contains no files.");
}
