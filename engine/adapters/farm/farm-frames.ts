/**
 * What travels between a service and farm nodes over NATS, as MessagePack. A frame names the
 * version of its form: another minor one differs by additions, which are passed over; another
 * major one is not read any further than `version`, `kind` and `from`, which every version has, and
 * the sentence of a refusal.
 */
import { check, Type } from "../../../config/schema.ts";
import type { FromNode, ToNode } from "../../ports/tasks.ts";
import { wireVersion } from "../../ports/wire-version.ts";
import { pack, unpack } from "../message-pack.ts";
import type { Piece } from "./frame-link.ts";
import { isFromNode, isToNode } from "./task-messages.ts";

/**
 * NATS subjects; each id belongs to one process. A node subscribes to the second, a service to the
 * others. A node's id begins with its NATS user and a dot, so that the server can restrict each
 * user to its own node's messages.
 */
export const helloSubject = "farm.hello";
export const nodeSubject = (node: string): string => `farm.node.${node}`;
export const brokerSubject = (broker: string): string => `farm.broker.${broker}`;

export type Frame =
  /** Announces a node; a service that does not know it opens a session. */
  | { readonly kind: "hello"; readonly from: string }
  /** `session` is of one service and one node; `name` outlasts the process. */
  | ({
      readonly kind: "piece";
      readonly from: string;
      readonly name: string;
      readonly session: string;
    } & Piece)
  | { readonly kind: "bye"; readonly from: string; readonly session: string }
  /** The node's version is not served. */
  | { readonly kind: "refused"; readonly from: string; readonly reason: string }
  /** Of another major version. */
  | { readonly kind: "foreign"; readonly from: string; readonly major: number };

export type OwnFrame = Exclude<Frame, { kind: "foreign" }>;

const id = Type.String({ pattern: "^([A-Za-z0-9_-]{1,64}\\.)?[A-Za-z0-9_-]{1,64}$" });
const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Refused = Type.Object({
  kind: Type.Literal("refused"),
  from: id,
  reason: Type.String({ maxLength: 1_024 }),
});
const isFrame = check<OwnFrame>(
  Type.Union([
    Type.Object({ kind: Type.Literal("hello"), from: id }),
    Type.Object({
      kind: Type.Literal("piece"),
      from: id,
      name: Type.String({ maxLength: 256 }),
      session: id,
      seq: count,
      ack: count,
      isLast: Type.Boolean(),
    }),
    Type.Object({ kind: Type.Literal("bye"), from: id, session: id }),
    Refused,
  ]),
);
const isRefused = check<Extract<OwnFrame, { kind: "refused" }>>(Refused);
const isVersioned = check<{ readonly version: readonly [number, number]; readonly from: string }>(
  Type.Object({ version: Type.Tuple([count, count]), from: id }),
);

export function encodeFrame(frame: OwnFrame): Uint8Array {
  const { major, minor } = wireVersion;
  return pack({ version: [major, minor], ...frame });
}

/** Returns `undefined` for bytes that are not a frame. */
export function decodeFrame(bytes: Uint8Array): Frame | undefined {
  const value = unpack(bytes);
  if (!isVersioned(value)) return undefined;
  const [major] = value.version;
  if (major !== wireVersion.major)
    return isRefused(value) ? value : { kind: "foreign", from: value.from, major };
  if (!isFrame(value)) return undefined;
  return value.kind === "piece" && !(value.bytes instanceof Uint8Array) ? undefined : value;
}

export function encodeMessage(message: FromNode | ToNode): Uint8Array {
  return pack(message);
}

/** Returns `undefined` for an unknown message, for example of a later minor version. */
export function decodeToNode(bytes: Uint8Array): ToNode | undefined {
  const value = plain(unpack(bytes));
  return isToNode(value) ? value : undefined;
}

/** Returns `undefined` for a message that no node sends. */
export function decodeFromNode(bytes: Uint8Array): FromNode | undefined {
  const value = plain(unpack(bytes));
  return isFromNode(value) ? value : undefined;
}

/** Reduces to JSON values: MessagePack has dates, errors and other values no record can hold. */
function plain(value: unknown): unknown {
  try {
    return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
  } catch {
    return undefined;
  }
}
