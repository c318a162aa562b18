/** A row of the route table, and what a route's function gets to work with. */

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

/** `open`: no bearer; `bearer`: any valid one; else one with that scope. */
export type Access = TokenScope | "bearer" | "open";

/** What of a request says where it is answered, before it is looked at in any other way. */
export interface Asked {
  /** The segments in the place of the path's braces. */
  readonly ids: readonly string[];
  readonly query: string;
}

/**
 * The partition whose owner answers a request; undefined for what is answered anywhere, a refusal
 * for example.
 */
export type PartitionOf = (asked: Asked) => number | undefined;

export interface BodyRule<B> {
  readonly schema: Type.TSchema;
  readonly check: Check<B>;
  readonly bytesMax: number;
  /** Members whose inside is passed on as it came. */
  readonly open?: readonly string[];
  /** Members for which null means something else than their absence. */
  readonly nulls?: readonly string[];
  /** JSON when absent. */
  readonly mediaType?: "application/x-www-form-urlencoded";
}

export interface Call<B = unknown, Q = unknown> {
  readonly service: Service;
  readonly request: HttpRequest;
  readonly requestId: string;
  /** The segment in the place of the path's first braces, or empty; `ids` has all of them. */
  readonly id: string;
  readonly ids: readonly string[];
  readonly query: Q;
  readonly body: B;
  /** Only routes that need a bearer may ask for it. */
  readonly principal: Principal;
  readonly rate: RateState | undefined;
}

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Segments in braces take anything. */
  readonly path: string;
  /** A phrase for the published contract. */
  readonly summary: string;
  readonly answers: Answers;
  readonly access: Access;
  /** What the caller's role in the context must permit, before any object is looked up. */
  readonly needs: Permission | undefined;
  readonly rate: Exclude<RateClass, "anonymous"> | undefined;
  /** Refused for its rate by the account, in the order of the submit's checks, not before. */
  readonly isSubmit: boolean;
  /** Whether an Idempotency-Key is read; of a submit it always is. */
  readonly takesKey: boolean;
  /** Whether HEAD is answered like GET, without the body. */
  readonly takesHead: boolean;
  /** Answered in a suspended organization too, since it is the way out of it. */
  readonly leavesContext: boolean;
  /** Whether pages of any origin may read the answer. */
  readonly anyOrigin: boolean;
  readonly query: Parameters;
  readonly body: BodyRule<unknown> | undefined;
  /** Most bytes of a body that the route itself reads as it comes. */
  readonly streamBytesMax: number | undefined;
  /** What such a body is, by media type; null for bytes of any kind. */
  readonly streamBody: Readonly<Record<string, Type.TSchema | null>>;
  /** By default the caller's scope says it; without a bearer a route is answered anywhere. */
  readonly partitionOf: PartitionOf | undefined;
  readonly run: (call: Call) => Answer | Promise<Answer>;
}

export function takesBody({ body, streamBytesMax }: Route): boolean {
  return body !== undefined || streamBytesMax !== undefined;
}

/** Of routes that look only at the directory, or ask other partitions for what they need. */
export const anywhere: PartitionOf = () => undefined;

/** Of routes whose path names what is kept where its id says. */
export const atNamedId: PartitionOf = ({ ids: [name = ""] }) => {
  const id = parseId(name);
  return id === undefined ? undefined : partitionOfId(id);
};

/** Server-sent events; the schema is that of one frame. */
export interface EventStream {
  readonly frames: Type.TSchema;
}

/**
 * What a route answers when nothing is refused: the schema of the JSON body by status, another
 * body's media type, an event stream, or null where there is none.
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

/** A JSON body by its schema; `open` names members whose inside is passed on as it came. */
export function jsonBody<B>(
  schema: Type.TSchema,
  bytesMax: number = limits.http.jsonBodyMax,
  open: readonly string[] = [],
): BodyRule<B> {
  return { schema, check: check<B>(schema), bytesMax, open };
}

/** A JSON body in which null is a value of the members that `nulls` names. */
export function jsonBodyWithNulls<B>(schema: Type.TSchema, nulls: readonly string[]): BodyRule<B> {
  return { ...jsonBody<B>(schema), nulls };
}

export function formBody<B>(schema: Type.TSchema): BodyRule<B> {
  const mediaType = "application/x-www-form-urlencoded";
  return { schema, check: check<B>(schema), bytesMax: limits.oauth.formBodyMax, mediaType };
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
  // The wrapper fills `body` and `query` by this very row, so the call has the types that `run`
  // wants.
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
