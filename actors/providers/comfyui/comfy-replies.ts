/** What ComfyUI servers answer: queues, histories of one prompt, refusals. */
import { limits } from "../../../config/limits.ts";
import { check, type Static, Type } from "../../../config/schema.ts";
import type { ModerationRefusal } from "../moderation.ts";
import { type ProviderFailure, type ProviderStatus, ReplyError } from "../provider.ts";
import { understood } from "../provider-http.ts";
import { customerMessage, type Reply } from "../replies.ts";

type Members = Readonly<Record<string, unknown>>;
type FindModeration = (text: string) => ModerationRefusal | undefined;

const AnyMembers = Type.Record(Type.String(), Type.Unknown());
const isMembers = check<Members>(AnyMembers);

/** The members of an object; none of anything else. */
export function membersOf(value: unknown): Members {
  return isMembers(value) ? value : {};
}

export const promptId = "[A-Za-z0-9_-]{1,64}";
const isPromptId = new RegExp(`^${promptId}$`);

export interface QueuedPrompt {
  readonly id: string;
  readonly state: "running" | "queued";
  readonly nodeCount: number;
  /** The job that it was sent for, where that was by an adapter like this. */
  readonly job: unknown;
}

const Queue = Type.Object({
  queue_running: Type.Array(Type.Unknown()),
  queue_pending: Type.Array(Type.Unknown()),
});
const isQueue = check<Static<typeof Queue>>(Queue);

/** What waits and what runs, other people's prompts among it. */
export function queuedPrompts(reply: Reply): readonly QueuedPrompt[] {
  const { queue_running: running, queue_pending: pending } = understood(isQueue, reply);
  return [
    ...running.flatMap((item) => queuedPrompt(item, "running")),
    ...pending.flatMap((item) => queuedPrompt(item, "queued")),
  ];
}

/** Of `[number, prompt_id, graph, extra_data, outputs]`. */
function queuedPrompt(item: unknown, state: QueuedPrompt["state"]): QueuedPrompt[] {
  if (!Array.isArray(item)) return [];
  const [, id, graph, extra]: readonly unknown[] = item;
  if (typeof id !== "string" || !isPromptId.test(id)) return [];
  const nodeCount = Object.keys(membersOf(graph)).length;
  return [{ id, state, nodeCount, job: membersOf(extra)["job_id"] }];
}

const Ended = Type.Object({
  prompt: Type.Optional(Type.Unknown()),
  outputs: Type.Optional(Type.Unknown()),
  status: Type.Optional(
    Type.Union([
      Type.Null(),
      Type.Object({
        status_str: Type.String(),
        messages: Type.Optional(Type.Array(Type.Unknown())),
      }),
    ]),
  ),
});
/** A prompt that has ended. */
export type EndedPrompt = Static<typeof Ended>;
const isEnded = check<EndedPrompt>(Ended);

/** Undefined for one that has not ended, or is not known. Throws `ReplyError`. */
export function endedPrompt(reply: Reply, id: string): EndedPrompt | undefined {
  const history = understood(isMembers, reply);
  if (Object.keys(history).length === 0) return undefined;
  const ended = Object.hasOwn(history, id) ? history[id] : undefined;
  if (isEnded(ended)) return ended;
  throw new ReplyError("The provider's history cannot be understood.");
}

export interface EndTerms {
  readonly billedPartway: boolean;
  readonly findModeration: FindModeration;
}

export function endOf(
  ended: EndedPrompt,
  { billedPartway, findModeration }: EndTerms,
): Extract<ProviderStatus, { state: "succeeded" | "failed" | "canceled" }> {
  const { status, outputs } = ended;
  // Servers of before 2024 say nothing but the outputs.
  if (status == null && Object.keys(membersOf(outputs)).length > 0) return { state: "succeeded" };
  if (status?.status_str === "success") return { state: "succeeded" };
  if (status?.status_str !== "error")
    throw new ReplyError("The provider's history says no end that is known.");
  if (told(ended, "execution_interrupted") !== undefined) {
    if (!billedPartway) return { state: "canceled", billed: false };
    const share = ranShare(ended);
    if (share === undefined) return { state: "canceled" };
    return { state: "canceled", billed: share > 0, billedFraction: share };
  }
  const text = told(ended, "execution_error")?.["exception_message"];
  const refusal = findModeration(typeof text === "string" ? text : "");
  const failure = refusal ?? { class: "upstream", message: customerMessage(text, broken) };
  return { state: "failed", ...failure, atOutput: true };
}

const broken = "The model could not finish this generation.";

/** What the server said of one kind while it ran. */
function told({ status }: EndedPrompt, name: string): Members | undefined {
  const found = status?.messages?.find((message) => Array.isArray(message) && message[0] === name);
  return Array.isArray(found) ? membersOf(found[1]) : undefined;
}

/** The share of its usual time that an interrupted prompt ran, where the server says when. */
export function ranShare(ended: EndedPrompt): number | undefined {
  const startMs = told(ended, "execution_start")?.["timestamp"];
  const endMs = told(ended, "execution_interrupted")?.["timestamp"];
  const extra: unknown = Array.isArray(ended.prompt) ? ended.prompt[3] : undefined;
  const seconds = membersOf(extra)["typical_seconds"];
  if (typeof startMs !== "number" || typeof endMs !== "number") return undefined;
  if (typeof seconds !== "number" || seconds <= 0) return undefined;
  return Math.min(1, Math.max(0, (endMs - startMs) / 1000 / seconds));
}

const File = Type.Object({
  filename: Type.String({ minLength: 1, maxLength: 1_024 }),
  subfolder: Type.Optional(Type.String({ maxLength: 1_024 })),
  type: Type.Literal("output"),
});
const isFile = check<Static<typeof File>>(File);
const fileKinds = ["images", "gifs", "videos", "audio", "3d"] as const;

/**
 * Where `GET` gives the files that were saved; previews are not. Throws `ReplyError` when there is
 * none, or more than `limits.fetch.filesMax`.
 */
export function filePlaces({ outputs }: EndedPrompt): readonly string[] {
  const files = Object.values(membersOf(outputs)).flatMap((output) =>
    fileKinds.flatMap((kind) => {
      const entries = membersOf(output)[kind];
      return Array.isArray(entries) ? entries.filter(isFile) : [];
    }),
  );
  if (files.length === 0) throw new ReplyError("The provider's outputs name no saved file.");
  if (files.length > limits.fetch.filesMax)
    throw new ReplyError("The provider's outputs name more files than they may.");
  return files.map(({ filename, subfolder = "", type }) => {
    return `/view?${new URLSearchParams({ filename, subfolder, type })}`;
  });
}

const Refusal = Type.Object({
  error: Type.Object({ message: Type.String() }),
  node_errors: Type.Optional(Type.Unknown()),
});
const isRefusal = check<Static<typeof Refusal>>(Refusal);

/** Why a graph was not taken, with the first input that is at fault. */
export function refusedGraph({ json }: Reply, findModeration: FindModeration): ProviderFailure {
  const texts = isRefusal(json) ? [json.error.message, ...nodeFaults(json.node_errors)] : [];
  const message = customerMessage(texts.slice(0, 2).join(": "), untaken);
  return findModeration(texts.join(" ")) ?? { class: "invalid_input", message };
}

const untaken = "The provider did not take this input.";

/** Without the details, which list the server's files. */
function nodeFaults(nodeErrors: unknown): string[] {
  const errors = Object.values(membersOf(nodeErrors)).flatMap((node) => {
    const list = membersOf(node)["errors"];
    return Array.isArray(list) ? list.map(membersOf) : [];
  });
  return errors.slice(0, 100).flatMap(({ message, extra_info: info }) => {
    const input = membersOf(info)["input_name"];
    if (typeof message !== "string") return [];
    return [typeof input === "string" ? `${message} (${input})` : message];
  });
}
