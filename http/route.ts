/** Row of the route table, and the call that a route's function receives. */

import { limits } from "../config/limits.ts";
import { type Check, check, type Type } from "../config/schema.ts";
import type { TokenScope } from "../contract/account.ts";
import { parseId, partitionOfId } from "../engine/id.ts";
import type { Permission } from "./auth/permissions.ts";
import type { Principal } from "./auth/principal.ts";
import type { RateClass, RateState } from "./auth/rate-classes.ts";
import type { Answer, HttpRequest } from "./exchange/answer.ts";
import { noParameters, type Parameters, type Values } from "./request/query.ts";
import type { Service } from "./service.ts";

/** `open`: no bearer; `bearer`: any valid one; otherwise one that has this scope. */
export type Access = TokenScope | "bearer" | "open";

/** The parts of a request that decide where it is answered, before anything else is read. */
export interface Asked {
  /** Segments that stand in place of the path's braces. */
  readonly ids: readonly string[];
  readonly query: string;
}

/**
 * Returns the partition whose owner answers a request; undefined when any node can answer, for
 * example with a refusal.
 */
export type PartitionOf = (asked: Asked) => number | undefined;

export interface BodyRule<B> {
  readonly schema: Type.TSchema;
  readonly check: Check<B>;
  readonly bytesMax: number;
  /** Members whose contents are passed on unchanged. */
  readonly open?: readonly string[];
  /** Members for which null has another meaning than absence. */
  readonly nulls?: readonly string[];
  /** Media type of the body; JSON when undefined. */
  readonly mediaType?: "application/x-www-form-urlencoded";
}

export interface Call<B = unknown, Q = unknown> {
  readonly service: Service;
  readonly request: HttpRequest;
  readonly requestId: string;
  /** The segment in place of the path's first braces, or empty; `ids` has all such segments. */
  readonly id: string;
  readonly ids: readonly string[];
  readonly query: Q;
  readonly body: B;
  /** The caller; only routes that require a bearer may read it. */
  readonly principal: Principal;
  readonly rate: RateState | undefined;
}

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path of the route, in which segments in braces match anything. */
  readonly path: string;
  /** Short description for the published contract. */
  readonly summary: string;
  readonly answers: Answers;
  readonly access: Access;
  /** Permission that the caller's role must have, checked before any object is looked up. */
  readonly needs: Permission | undefined;
  readonly rate: Exclude<RateClass, "anonymous"> | undefined;
  /** Whether the route is a submit, whose rate the account checks in the order of its checks. */
  readonly isSubmit: boolean;
  /** Whether the Idempotency-Key is read; for a submit it always is. */
  readonly takesKey: boolean;
  /** Whether HEAD is answered like GET, without the body. */
  readonly takesHead: boolean;
  /** Whether the route works in a suspended organization too, as it lets the caller leave it. */
  readonly leavesContext: boolean;
  /** Whether pages of any origin may read the answer. */
  readonly anyOrigin: boolean;
  readonly query: Parameters;
  readonly body: BodyRule<unknown> | undefined;
  /** Maximum number of bytes of a body that the route itself reads as a stream. */
  readonly streamBytesMax: number | undefined;
  /** Schema of such a body by media type; null for arbitrary bytes. */
  readonly streamBody: Readonly<Record<string, Type.TSchema | null>>;
  /** By default the partition of the caller's scope; any node answers routes without a bearer. */
  readonly partitionOf: PartitionOf | undefined;
  readonly run: (call: Call) => Answer | Promise<Answer>;
}

export function takesBody({ body, streamBytesMax }: Route): boolean {
  return body !== undefined || streamBytesMax !== undefined;
}

/** For routes that read only the directory, or ask other partitions for what they need. */
export const anywhere: PartitionOf = () => undefined;

/** For routes whose path names an object that is kept in the partition of its id. */
export const atNamedId: PartitionOf = ({ ids: [name = ""] }) => {
  const id = parseId(name);
  return id === undefined ? undefined : partitionOfId(id);
};

/** A stream of server-sent events; the schema describes one frame. */
export interface EventStream {
  readonly frames: Type.TSchema;
}

/**
 * Answers of a route other than refusals, by status: the schema of a JSON body, the media type of
 * another body, an event stream, or null for no body.
 */
export type Answers = Readonly<Record<number, Type.TSchema | EventStream | string | null>>;

export function isEventStream(answer: Answers[number] | undefined): answer is EventStream {
  return typeof answer === "object" && answer !== null && "frames" in answer;
}

interface Row<B, P extends Parameters> {
  readonly summary: string;
  readonly answers: Answers;
  readonly access: Access;
  readonly needs?: Permission;
  readonly rate?: Exclude<RateClass, "anonymous">;
  readonly isSubmit?: boolean;
  readonly takesKey?: boolean;
  readonly takesHead?: boolean;
  readonly leavesContext?: boolean;
  readonly anyOrigin?: boolean;
  readonly query?: P;
  readonly body?: BodyRule<B>;
  readonly streamBytesMax?: number;
  readonly streamBody?: Route["streamBody"];
  readonly getPartition?: PartitionOf;
  readonly run: (call: Call<B, Values<P>>) => Answer | Promise<Answer>;
}

/** A JSON body with a schema; the contents of members named by `open` are passed on unchanged. */
export function jsonBody<B>(
  schema: Type.TSchema,
  bytesMax: number = limits.http.jsonBodyMax,
  open: readonly string[] = [],
): BodyRule<B> {
  return { schema, check: compileCheck(schema), bytesMax, open };
}

/** Compiles at the start, so that no request waits for it. */
function compileCheck<B>(schema: Type.TSchema): Check<B> {
  const isBody = check<B>(schema);
  isBody.compile();
  return isBody;
}

/** A JSON body in which null is a valid value for the members that `nulls` names. */
export function jsonBodyWithNulls<B>(schema: Type.TSchema, nulls: readonly string[]): BodyRule<B> {
  return { ...jsonBody<B>(schema), nulls };
}

export function formBody<B>(schema: Type.TSchema): BodyRule<B> {
  const mediaType = "application/x-www-form-urlencoded";
  return { schema, check: compileCheck(schema), bytesMax: limits.oauth.formBodyMax, mediaType };
}

export function route<B = undefined, P extends Parameters = Parameters>(
  method: Route["method"],
  path: string,
  row: Row<B, P>,
): Route {
  const { summary, answers, access, rate, isSubmit = false, query = noParameters, body } = row;
  const {
    takesKey = isSubmit,
    takesHead = method === "GET",
    leavesContext = false,
    anyOrigin = false,
    needs,
    getPartition: partitionOf,
  } = row;
  // The wrapper fills `body` and `query` by this row, so the call has the types that `run` expects.
  const run = row.run as Route["run"];
  const { streamBytesMax, streamBody = { "*/*": null } } = row;
  const asked = { method, path, summary, answers, access, needs, rate, query, body };
  const streamed = { streamBytesMax, streamBody };
  return {
    ...asked,
    isSubmit,
    takesKey,
    takesHead,
    leavesContext,
    anyOrigin,
    ...streamed,
    partitionOf,
    run,
  };
}
