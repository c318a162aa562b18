/**
 * The way of every request: path 404, method 405, credential 401, scope 403, rate 429, query and
 * body 400, then the route. The one place that catches: a refusal becomes its problem, a shard that
 * is starting again becomes 503, anything else is a fault of ours and becomes 500 without details.
 */

import type { Refusal } from "../actors/refusal.ts";
import { limits } from "../config/limits.ts";
import { ShardDown } from "../engine/gateway.ts";
import { PortError } from "../engine/ports/port-error.ts";
import { requirePermission } from "./auth/permissions.ts";
import type { Principal } from "./auth/principal.ts";
import { requireScope } from "./auth/principals.ts";
import type { RateState } from "./auth/rate-classes.ts";
import { problem } from "./problems/problems.ts";
import { RefusalError } from "./problems/refusal-error.ts";
import { checkMediaType, parseBody, stalledBody } from "./request/body.ts";
import { parseForm } from "./request/form.ts";
import { readQuery } from "./request/query.ts";
import { type Call, type Route, route } from "./route.ts";
import { RouteTree } from "./route-tree.ts";
import type { Service } from "./service.ts";
import { type Answer, constantHeader, type Header, type HttpRequest } from "./transport/answer.ts";
import { corsHeaders, type Origins, preflightHeaders } from "./transport/cors.ts";

/** What the transport learns before it reads a body. */
export interface Match {
  readonly route: Route | undefined;
  readonly refusal: Refusal | undefined;
  readonly ids: readonly string[];
  /** Most bytes of a body that are worth reading; 0 when the route takes none. */
  readonly bodyBytesMax: number;
  /** Set when the route reads its body as it comes. */
  readonly streamBytesMax: number | undefined;
}

/** What is known of a request on its way to its answer. */
interface Trail {
  readonly request: HttpRequest;
  readonly route: Route | undefined;
  readonly requestId: string;
  readonly startedMs: number;
  principal: Principal | undefined;
  rate: RateState | undefined;
}

/** In the log, of a client that left before its answer; as nginx has it. */
const leftStatus = 499;
const requestIdPattern = /^[A-Za-z0-9._-]{1,64}$/;

export class Api {
  private readonly service: Service;
  private readonly tree: RouteTree;
  private readonly requestIdPrefix: string;
  /** Undefined when the operator lists none. */
  private readonly origins: Origins | undefined;
  private requests = 0;

  constructor(service: Service, routes: readonly Route[]) {
    this.service = service;
    this.tree = new RouteTree(routes);
    this.origins = service.corsOrigins.size > 0 ? service.corsOrigins : undefined;
    this.requestIdPrefix = `req-${Buffer.from(service.entropy.bytes(8)).toString("hex")}-`;
  }

  match(method: string, path: string): Match {
    const { routes, ids } = this.tree.find(path);
    if (routes === undefined) return unmatched({ code: "not_found" });
    if (method === "OPTIONS") return preflight(routes, ids);
    const isHead = method === "HEAD";
    const route = routes.get(isHead ? "GET" : method);
    if (route === undefined || (isHead && !route.takesHead))
      return unmatched({ code: "method_not_allowed", allow: allowed(routes) });
    const { body, streamBytesMax } = route;
    return { route, refusal: undefined, ids, bodyBytesMax: body?.bytesMax ?? 0, streamBytesMax };
  }

  /** Never rejects. */
  answer(match: Match, request: HttpRequest): Answer | Promise<Answer> {
    const answer = this.answered(match, request);
    if (this.origins === undefined || match.route?.anyOrigin === true) return answer;
    const cors = corsHeaders(this.origins, request.headers["origin"]);
    return answer instanceof Promise
      ? answer.then((ready) => withHeaders(ready, cors))
      : withHeaders(answer, cors);
  }

  private answered(match: Match, request: HttpRequest): Answer | Promise<Answer> {
    const { route } = match;
    const trail = this.trail(request, route);
    const { requestId } = trail;
    try {
      if (route === undefined) throw new RefusalError(match.refusal ?? { code: "not_found" });
      const principal = this.authenticate(route, request);
      trail.principal = principal;
      const rate = this.count(route, principal);
      trail.rate = rate;
      admit(route, principal, rate);
      const call: Call = {
        service: this.service,
        request,
        requestId,
        id: match.ids[0] ?? "",
        ids: match.ids,
        query: readQuery(request.query, route.query),
        body: bodyOf(route, request),
        principal: principal as Principal,
        rate,
      };
      const answer = route.run(call);
      if (!(answer instanceof Promise)) return this.finish(answer, trail);
      return this.awaited(answer, trail);
    } catch (error) {
      return this.failed(error, trail);
    }
  }

  private async awaited(answer: Promise<Answer>, trail: Trail): Promise<Answer> {
    try {
      return this.finish(await answer, trail);
    } catch (error) {
      return this.failed(error, trail);
    }
  }

  private failed(error: unknown, trail: Trail): Answer {
    const { route, request, requestId } = trail;
    const counted = route?.access === "open" ? this.counted(error, request) : error;
    return this.finish(this.refusal(counted, requestId, route), trail);
  }

  /** For what the transport itself refuses. */
  refuse(refusal: Refusal, request: HttpRequest): Answer {
    const trail = this.trail(request, undefined);
    return this.finish(problem(refusal, trail.requestId, this.problems), trail);
  }

  private trail(request: HttpRequest, route: Route | undefined): Trail {
    const startedMs = this.service.clock.monotonicMs();
    const requestId = this.requestId(request.headers["x-request-id"]);
    return { request, route, requestId, startedMs, principal: undefined, rate: undefined };
  }

  private finish(answer: Answer, trail: Trail): Answer {
    const { request, route, requestId, startedMs, principal, rate } = trail;
    const status = request.isGone() ? leftStatus : answer.status;
    this.service.requests.add(status, startedMs, () => ({
      method: request.method,
      route: route?.path,
      status,
      ms: Math.round((this.service.clock.monotonicMs() - startedMs) * 10) / 10,
      requestId,
      made: idMadeBy(answer),
      account: principal?.user.id,
      address: request.address,
    }));
    return finished(answer, requestId, rate, route);
  }

  private get problems(): string {
    return `${this.service.baseUrl}/problems`;
  }

  private authenticate(route: Route, request: HttpRequest): Principal | undefined {
    if (route.access === "open") return undefined;
    try {
      return this.service.principals.of(request.headers["authorization"]);
    } catch (error) {
      throw this.counted(error, request);
    }
  }

  /** Requests without valid credentials are counted by address. */
  private counted(error: unknown, request: HttpRequest): unknown {
    const isStranger = error instanceof RefusalError && isOfStranger(error.refusal);
    const rate = isStranger ? this.service.rates?.countAddress(request.address) : undefined;
    return rate?.isOver === true ? tooMany(rate) : error;
  }

  private count(route: Route, principal: Principal | undefined): RateState | undefined {
    if (route.rate === undefined || principal === undefined) return undefined;
    return this.service.rates?.count(route.rate, principal.counter);
  }

  private refusal(error: unknown, requestId: string, route: Route | undefined): Answer {
    if (error instanceof RefusalError) return problem(error.refusal, requestId, this.problems);
    const { retryAfterSeconds } = limits.http;
    const isPassing = error instanceof ShardDown || (error instanceof PortError && error.retryable);
    if (!isPassing) this.service.onFault(requestId, error);
    const refusal: Refusal = isPassing
      ? { code: "unavailable", retryAfterSeconds }
      : { code: "internal", onGeneration: route?.isSubmit === true };
    return problem(refusal, requestId, this.problems);
  }

  private requestId(given: string | undefined): string {
    if (given !== undefined && requestIdPattern.test(given)) return given;
    return this.requestIdPrefix + (++this.requests).toString(36);
  }
}

/** Throws `RefusalError`: 403 without the scope, 429 beyond the rate (of a submit: later). */
function admit(route: Route, principal: Principal | undefined, rate: RateState | undefined): void {
  const { access, needs, isSubmit, leavesContext } = route;
  if (principal?.organization?.status === "suspended" && !leavesContext)
    throw new RefusalError({ code: "forbidden", detail: "This organization is suspended." });
  if (principal !== undefined && access !== "open" && access !== "bearer")
    requireScope(principal, access);
  if (principal !== undefined && needs !== undefined) requirePermission(principal, needs);
  if (rate?.isOver === true && !isSubmit) throw tooMany(rate);
}

/** Failed guesses at credentials; a device that waits for approval is none. */
function isOfStranger(refusal: Refusal): boolean {
  if (refusal.code !== "oauth") return refusal.code === "unauthorized";
  return refusal.error.startsWith("invalid_");
}

/** Answers a browser's preflight for a page of another origin. */
function preflight(routes: ReadonlyMap<string, Route>, ids: readonly string[]): Match {
  const isShared = [...routes.values()].some((shared) => shared.anyOrigin);
  const methods = allowed(routes);
  const answered = route("GET", "", {
    summary: "What may be asked here",
    answers: { 204: null },
    access: "open",
    anyOrigin: isShared,
    run: ({ service, request }) => {
      const origin = request.headers["origin"];
      const more = preflightHeaders(methods, isShared, service.corsOrigins, origin);
      return { status: 204, headers: [["Allow", `${methods}, OPTIONS`], ...more], body: "" };
    },
  });
  return { route: answered, refusal: undefined, ids, bodyBytesMax: 0, streamBytesMax: undefined };
}

function unmatched(refusal: Refusal): Match {
  return { route: undefined, refusal, ids: [], bodyBytesMax: 0, streamBytesMax: undefined };
}

function allowed(routes: ReadonlyMap<string, Route>): string {
  const names = [...routes].flatMap(([name, { takesHead }]) =>
    takesHead ? [name, "HEAD"] : [name],
  );
  return names.join(", ");
}

function bodyOf(route: Route, request: HttpRequest): unknown {
  if (route.body === undefined) return undefined;
  const { bytesMax } = route.body;
  if (request.body === "too_large")
    throw new RefusalError({ code: "payload_too_large", limitBytes: bytesMax });
  if (request.body === "stalled") throw new RefusalError(stalledBody);
  const { check, open, nulls, mediaType } = route.body;
  const contentType = request.headers["content-type"];
  if (mediaType !== undefined) return parseForm(request.body, contentType, check);
  checkMediaType(contentType);
  return parseBody(request.body, check, open, nulls);
}

function tooMany(rate: RateState): RefusalError {
  return new RefusalError({ code: "rate_limit", retryAfterSeconds: rate.resetSeconds });
}

const noSniff = constantHeader("X-Content-Type-Options", "nosniff");
const anyOrigin = constantHeader("Access-Control-Allow-Origin", "*");
const noStore = constantHeader("Cache-Control", "no-store");

function finished(
  answer: Answer,
  requestId: string,
  rate: RateState | undefined,
  route: Route | undefined,
): Answer {
  const { status, body, headers: given } = answer;
  const headers: Header[] = [["X-Request-Id", requestId], noSniff];
  let isCached = false;
  for (const header of given) {
    headers.push(header);
    isCached ||= isCaching(header);
  }
  if (route?.anyOrigin === true) headers.push(anyOrigin);
  if (rate !== undefined) headers.push(...rate.headers);
  if (!isCached) headers.push(noStore);
  return { status, headers, body };
}

function idMadeBy({ status, headers }: Answer): string | undefined {
  if (status !== 201 && status !== 202) return undefined;
  return headers
    .find(([name]) => name === "Location")?.[1]
    .split("/")
    .at(-1);
}

function withHeaders(answer: Answer, more: readonly Header[]): Answer {
  return { ...answer, headers: [...answer.headers, ...more] };
}

function isCaching([name]: Header): boolean {
  return name === "ETag" || name === "Cache-Control";
}
