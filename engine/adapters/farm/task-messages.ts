/** Schemas of the task port's messages, for adapters whose other end is not trusted. */
import { limits } from "../../../config/limits.ts";
import { check, Type } from "../../../config/schema.ts";
import type { FromNode, ToNode } from "../../ports/tasks.ts";

const text = (maxLength: number) => Type.String({ maxLength });
const token = text(128);
const key = text(1_024);
const count = Type.Integer({ minimum: 0, maximum: 1_000_000 });
const size = Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const kind = text(64);
const sentence = text(64 * 1024);

export const isToNode = check<ToNode>(
  Type.Union([
    Type.Object({
      kind: Type.Literal("lease"),
      task: Type.Object({
        token,
        kind,
        input: Type.Unknown(),
        outputPrefix: key,
        trace: Type.Optional(text(64)),
      }),
    }),
    Type.Object({ kind: Type.Literal("cancel"), token }),
    Type.Object({ kind: Type.Literal("drain") }),
    Type.Object({
      kind: Type.Literal("granted"),
      token,
      id: count,
      url: Type.Union([Type.Null(), text(8 * 1024)]),
    }),
    Type.Object({
      kind: Type.Literal("denied"),
      token,
      id: count,
      reason: sentence,
      retryable: Type.Boolean(),
    }),
    Type.Object({
      kind: Type.Literal("part"),
      member: token,
      part: Type.Union([Type.Null(), count]),
    }),
    Type.Object({ kind: Type.Literal("made"), member: token, part: count, result: Type.Unknown() }),
  ]),
);

const Output = Type.Object({
  objectKey: key,
  mimeType: text(128),
  sizeBytes: size,
  sha256: text(128),
  width: Type.Optional(size),
  height: Type.Optional(size),
  durationSeconds: Type.Optional(size),
  hasAudio: Type.Optional(Type.Boolean()),
  frameRate: Type.Optional(size),
  thumbnailKey: Type.Optional(key),
});
const warnings = Type.Optional(Type.Array(sentence, { maxItems: 1_000 }));
const Outcome = Type.Union([
  Type.Object({
    kind: Type.Literal("succeeded"),
    outputs: Type.Array(Output, { maxItems: 64 }),
    warnings,
    details: Type.Optional(Type.Object({})),
  }),
  Type.Object({
    kind: Type.Literal("failed"),
    message: sentence,
    retryable: Type.Boolean(),
    warnings,
  }),
]);

export const isFromNode = check<FromNode>(
  Type.Union([
    Type.Object({
      kind: Type.Literal("hello"),
      node: text(256),
      version: Type.Optional(text(64)),
      slots: Type.Integer({ minimum: 0, maximum: 1_024 }),
      kinds: Type.Array(kind, { maxItems: 256 }),
    }),
    Type.Object({
      kind: Type.Literal("capacity"),
      slots: Type.Integer({ minimum: 0, maximum: 1_024 }),
    }),
    Type.Object({
      kind: Type.Literal("heartbeat"),
      token,
      progress: Type.Number({ minimum: 0, maximum: 1 }),
      thumbnail: Type.Optional(
        Type.String({ maxLength: limits.farm.thumbnailMax, pattern: "^[A-Za-z0-9+/]+={0,2}$" }),
      ),
    }),
    Type.Object({ kind: Type.Literal("finished"), token, outcome: Outcome }),
    Type.Object({ kind: Type.Literal("returned"), token }),
    Type.Object({
      kind: Type.Literal("ask"),
      token,
      id: count,
      order: Type.Enum(["get", "put", "remove"]),
      key,
    }),
    Type.Object({
      kind: Type.Literal("split"),
      token,
      member: token,
      parts: Type.Integer({ minimum: 1, maximum: 100_000 }),
      helpers: Type.Object({ kind, input: Type.Unknown(), outputPrefix: key }),
    }),
    Type.Object({ kind: Type.Literal("take"), member: token }),
    Type.Object({ kind: Type.Literal("made"), member: token, part: count, result: Type.Unknown() }),
  ]),
);
