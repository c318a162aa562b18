/** Answers of ComfyUI servers: queues, the history of one prompt, refusals. */
import { check, type Static, Type } from "../../config/schema.ts";
import { type Members, readMembers, readText } from "../advice.ts";
import { isFlagged, keepItems, readFlags } from "../flags.ts";
import { type ModerationRefusal, moderationBy } from "../moderation.ts";
import { type ProviderFailure, type ProviderStatus, ReplyError } from "../provider.ts";
import { understand } from "../provider-http.ts";
import { customerMessage, type Reply } from "../replies.ts";
import { checkFiles } from "../result-files.ts";
import { readState } from "../state-words.ts";

type FindModeration = (text: string) => ModerationRefusal | undefined;

const isMembers = check<Members>(Type.Record(Type.String(), Type.Unknown()));

export const promptId = "[A-Za-z0-9_-]{1,64}";
const isPromptId = new RegExp(`^${promptId}$`);

export interface QueuedPrompt {
  readonly id: string;
  readonly state: "running" | "queued";
  readonly nodeCount: number;
  /** Job that the prompt was sent for, if an adapter like this one sent it. */
  readonly job: unknown;
}

const Queue = Type.Object({
  queue_running: Type.Array(Type.Unknown()),
  queue_pending: Type.Array(Type.Unknown()),
});
const isQueue = check<Static<typeof Queue>>(Queue);

/** Lists waiting and running prompts, including those of other users. */
export function parseQueuedPrompts(reply: Reply): readonly QueuedPrompt[] {
  const { queue_running: running, queue_pending: pending } = understand(isQueue, reply);
  return [
    ...running.flatMap((item) => parseQueuedPrompt(item, "running")),
    ...pending.flatMap((item) => parseQueuedPrompt(item, "queued")),
  ];
}

/** Parses an item `[number, prompt_id, graph, extra_data, outputs]`. */
function parseQueuedPrompt(item: unknown, state: QueuedPrompt["state"]): QueuedPrompt[] {
  if (!Array.isArray(item)) return [];
  const [, id, graph, extra]: readonly unknown[] = item;
  if (typeof id !== "string" || !isPromptId.test(id)) return [];
  const nodeCount = Object.keys(readMembers(graph)).length;
  return [{ id, state, nodeCount, job: readMembers(extra)["job_id"] }];
}

const Ended = Type.Object({
  prompt: Type.Optional(Type.Unknown()),
  outputs: Type.Optional(Type.Unknown()),
  status: Type.Optional(Type.Unknown()),
});
/** A prompt that has ended. */
export type EndedPrompt = Static<typeof Ended>;
const isEnded = check<EndedPrompt>(Ended);

/** The prompt, or undefined when it has not ended or is unknown. Throws `ReplyError`. */
export function findEndedPrompt(reply: Reply, id: string): EndedPrompt | undefined {
  const history = understand(isMembers, reply);
  if (Object.keys(history).length === 0) return undefined;
  const ended = Object.hasOwn(history, id) ? history[id] : undefined;
  if (isEnded(ended)) return ended;
  throw new ReplyError("The provider's history could not be interpreted.");
}

export interface EndTerms {
  readonly billedPartway: boolean;
  readonly findModeration: FindModeration;
}

export function computeEnd(
  ended: EndedPrompt,
  { billedPartway, findModeration }: EndTerms,
): ProviderStatus {
  // Servers from before 2024 report only the outputs.
  const state = readState(readText(readMembers(ended.status)["status_str"]) ?? "success");
  if (state === "queued" || state === "running") return { state };
  if (state === "succeeded") {
    const { places, hasFlagged } = listSavedFiles(ended);
    const isRefused = hasFlagged && places.length === 0;
    return isRefused ? { state: "failed", ...moderationBy(""), atOutput: true } : { state };
  }
  if (state === "canceled" || findMessage(ended, "execution_interrupted") !== undefined) {
    if (!billedPartway) return { state: "canceled", billed: false };
    const share = ranShare(ended);
    if (share === undefined) return { state: "canceled" };
    return { state: "canceled", billed: share > 0, billedFraction: share };
  }
  const text = findMessage(ended, "execution_error")?.["exception_message"];
  const refusal = findModeration(typeof text === "string" ? text : "");
  const failure = refusal ?? { class: "upstream", message: customerMessage(text, broken) };
  return { state: "failed", ...failure, atOutput: true };
}

const broken = "The model could not finish this generation.";

/** Finds a message of one kind that the server recorded while the prompt ran. */
function findMessage({ status }: EndedPrompt, name: string): Members | undefined {
  const { messages } = readMembers(status);
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [];
  const found = list.find((message) => Array.isArray(message) && message[0] === name);
  return Array.isArray(found) ? readMembers(found[1]) : undefined;
}

/** Share of its usual time that an interrupted prompt ran, if the server reports the times. */
export function ranShare(ended: EndedPrompt): number | undefined {
  const startMs = findMessage(ended, "execution_start")?.["timestamp"];
  const endMs = findMessage(ended, "execution_interrupted")?.["timestamp"];
  const extra: unknown = Array.isArray(ended.prompt) ? ended.prompt[3] : undefined;
  const seconds = readMembers(extra)["typical_seconds"];
  if (typeof startMs !== "number" || typeof endMs !== "number") return undefined;
  if (typeof seconds !== "number" || seconds <= 0) return undefined;
  return Math.min(1, Math.max(0, (endMs - startMs) / 1000 / seconds));
}

const File = Type.Object({
  filename: Type.String({ minLength: 1, maxLength: 1_024 }),
  subfolder: Type.Optional(Type.Unknown()),
  type: Type.Literal("output"),
});
const isFile = check<Static<typeof File>>(File);
const fileKinds = ["images", "gifs", "videos", "audio", "3d"] as const;

/** Paths for a `GET` of the saved files; previews are left out. Throws `ResultError`. */
export function filePlaces(ended: EndedPrompt): readonly string[] {
  return checkFiles(listSavedFiles(ended).places);
}

/** Lists saved files without those that a node of the graph flagged. */
function listSavedFiles({ outputs }: EndedPrompt) {
  const nodes = Object.values(readMembers(outputs));
  const files = nodes.flatMap((output) =>
    fileKinds.flatMap((kind) => {
      const entries = readMembers(output)[kind];
      return Array.isArray(entries) ? keepItems(entries, readFlags(output)).filter(isFile) : [];
    }),
  );
  const places = files.map(({ filename, subfolder, type }) => {
    const folder = readText(subfolder) ?? "";
    return `/view?${new URLSearchParams({ filename, subfolder: folder, type })}`;
  });
  return { places, hasFlagged: nodes.some((output) => isFlagged(readFlags(output))) };
}

const Refusal = Type.Object({
  error: Type.Object({ message: Type.String() }),
  node_errors: Type.Optional(Type.Unknown()),
});
const isRefusal = check<Static<typeof Refusal>>(Refusal);

/** Explains why a graph was refused, with the first faulty input. */
export function explainRefusedGraph(
  { json }: Reply,
  findModeration: FindModeration,
): ProviderFailure {
  const texts = isRefusal(json) ? [json.error.message, ...nodeFaults(json.node_errors)] : [];
  const message = customerMessage(texts.slice(0, 2).join(": "), untaken);
  return findModeration(texts.join(" ")) ?? { class: "invalid_input", message };
}

const untaken = "The provider rejected this input.";

/** The nodes' error messages without their details, which list the server's files. */
function nodeFaults(nodeErrors: unknown): string[] {
  const errors = Object.values(readMembers(nodeErrors)).flatMap((node) => {
    const list = readMembers(node)["errors"];
    return Array.isArray(list) ? list.map(readMembers) : [];
  });
  return errors.slice(0, 100).flatMap(({ message, extra_info: info }) => {
    const input = readMembers(info)["input_name"];
    if (typeof message !== "string") return [];
    return [typeof input === "string" ? `${message} (${input})` : message];
  });
}
