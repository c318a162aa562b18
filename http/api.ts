/**
 * The way of every request: path 404, method 405, credential 401, scope 403, rate 429, query and
 * body 400, then the route. The one place that catches: a refusal becomes its problem, a shard that
 * is starting again becomes 503, anything else is a fault of ours and becomes 500 without details.
 */

import type { Refusal } from "../actors/refusal.ts";
import { limits } from "../config/limits.ts";
import { PortError } from "../engine/ports/port-error.ts";
import { ShardDown } from "../engine/reading/shard-end.ts";
import { partitionOfTurn } from "./auth/agent-turn-principal.ts";
import { requirePermission } from "./auth/permissions.ts";
import type { Principal } from "./auth/principal.ts";
import { requireScope } from "./auth/principals.ts";
import type { RateState } from "./auth/rate-classes.ts";
import { type Answer, constantHeader, type Header, type HttpRequest } from "./exchange/answer.ts";
import { RefusalError } from "./exchange/refusal-error.ts";
import { stalledBody } from "./exchange/stalled-body.ts";
import { createUnmatched, listAllowed, type Match, preflight } from "./match.ts";
import { HttpFigures } from "./metrics/http-figures.ts";
import { findPartition, getBearer } from "./placing.ts";
import { problem } from "./problems/problems.ts";
import { checkContentEncoding, checkMediaType, parseBody } from "./request/body.ts";
import { parseForm } from "./request/form.ts";
import { readQuery } from "./request/query.ts";
import { getTrace } from "./request/trace-parent.ts";
import { type Call, type Route, takesBody } from "./route.ts";
import { RouteTree } from "./route-tree.ts";
import type { Service } from "./service.ts";
import type { Application } from "./transport/application.ts";
import { corsHeaders, type Origins } from "./transport/cors.ts";

/** State of a request that is collected until it is answered. */
interface Trail {
  readonly request: HttpRequest;
  readonly route: Route | undefined;
  readonly requestId: string;
  readonly startedMs: number;
  principal: Principal | undefined;
  rate: RateState | undefined;
}

/** The status logged for a client that left before its answer; nginx uses the same number. */
const leftStatus = 499;
const requestIdPattern = /^[A-Za-z0-9._-]{1,64}$/;

export class Api implements Application {
  private readonly service: Service;
  private readonly tree: RouteTree;
  private readonly requestIdPrefix: string;
  /** Origins that may use the API; undefined when the operator lists none. */
  private readonly origins: Origins | undefined;
  private readonly figures: HttpFigures;
  private requests = 0;

  constructor(service: Service, routes: readonly Route[]) {
    this.service = service;
    this.tree = new RouteTree(routes);
    this.figures = new HttpFigures(service.tally);
    this.origins = service.corsOrigins.size > 0 ? service.corsOrigins : undefined;
    this.requestIdPrefix = `req-${Buffer.from(service.entropy.bytes(8)).toString("hex")}-`;
  }

  match(method: string, path: string): Match {
    const { routes, ids } = this.tree.find(path);
    if (routes === undefined) return createUnmatched({ code: "not_found" });
    if (method === "OPTIONS") return preflight(routes, ids);
    const isHead = method === "HEAD";
    const route = routes.get(isHead ? "GET" : method);
    if (route === undefined || (isHead && !route.takesHead))
      return createUnmatched({ code: "method_not_allowed", allow: listAllowed(routes) });
    const { body, streamBytesMax } = route;
    return { route, refusal: undefined, ids, bodyBytesMax: body?.bytesMax ?? 0, streamBytesMax };
  }

  /** Answers a request. A returned promise never rejects. */
  answer(match: Match, request: HttpRequest): Answer | Promise<Answer> {
    const answer = this.answerMatch(match, request);
    const isDone = match.route?.anyOrigin === true || request.isForwarded === true;
    if (this.origins === undefined || isDone) return answer;
    const cors = corsHeaders(this.origins, request.headers["origin"]);
    return answer instanceof Promise
      ? answer.then((ready) => withHeaders(ready, cors))
      : withHeaders(answer, cors);
  }

  private answerMatch(match: Match, request: HttpRequest): Answer | Promise<Answer> {
    const { route } = match;
    const trail = this.trail(request, route);
    try {
      if (route === undefined) throw new RefusalError(match.refusal ?? { code: "not_found" });
      const { cluster } = this.service;
      const shard = cluster === undefined ? undefined : this.shardElsewhere(match, route, trail);
      if (cluster === undefined || shard === undefined) return this.run(match, route, trail);
      return this.forward(cluster, shard, match, route, trail);
    } catch (error) {
      return this.onFailure(error, trail);
    }
  }

  /** Runs the route on this node. */
  private run(match: Match, route: Route, trail: Trail): Answer | Promise<Answer> {
    const { request, requestId } = trail;
    try {
      const principal = this.authenticate(route, request);
      trail.principal = principal;
      const rate = this.count(route, principal);
      trail.rate = rate;
      admit(route, principal, rate);
      if (takesBody(route)) checkContentEncoding(request.headers["content-encoding"]);
      const call: Call = {
        service: this.service,
        request,
        requestId,
        id: match.ids[0] ?? "",
        ids: match.ids,
        query: readQuery(request.query, route.query),
        body: readBody(route, request),
        principal: principal as Principal,
        rate,
      };
      const answer = route.run(call);
      if (!(answer instanceof Promise)) return this.finish(answer, trail);
      return this.awaitAnswer(answer, trail);
    } catch (error) {
      return this.onFailure(error, trail);
    }
  }

  /** Forwards to the node that owns the shard; that node authenticates and counts the request. */
  private async forward(
    cluster: NonNullable<Service["cluster"]>,
    shard: number,
    match: Match,
    route: Route,
    trail: Trail,
  ): Promise<Answer> {
    const { request, requestId, principal } = trail;
    try {
      const credential = principal?.credential.id;
      const answer = await cluster.forwarder.forward(shard, request, requestId, credential);
      if (answer === undefined) return this.run(match, route, trail);
      this.log(answer, trail);
      return answer;
    } catch (error) {
      return this.onFailure(error, trail);
    }
  }

  /**
   * Whether a request that another node forwards for the client of that credential can be answered
   * here: this node owns the scope, and the directory's rows about the client have arrived.
   */
  isHere({ route, ids }: Match, request: HttpRequest, credential: string | undefined): boolean {
    if (route === undefined) return true;
    try {
      const principal = this.placingPrincipal(route, request);
      if (principal?.credential.id !== credential) return false;
      const partition = findPartition(route, ids, request, principal);
      return partition === undefined || this.ownsPartition(partition);
    } catch {
      return false;
    }
  }

  /** The owner's shard; undefined to answer here. Throws `RefusalError` for an unknown client. */
  private shardElsewhere(match: Match, route: Route, trail: Trail): number | undefined {
    const { request } = trail;
    if (request.isForwarded === true || typeof request.body === "string") return undefined;
    trail.principal = this.placingPrincipal(route, request);
    const partition = findPartition(route, match.ids, request, trail.principal);
    if (partition === undefined || this.ownsPartition(partition)) return undefined;
    return this.service.gateway.shardOfPartition(partition);
  }

  private ownsPartition(partition: number): boolean {
    const { gateway } = this.service;
    return gateway.owns(gateway.shardOfPartition(partition));
  }

  /** Undefined without a credential, and for an agent's turn, which only its partition knows. */
  private placingPrincipal(route: Route, request: HttpRequest): Principal | undefined {
    if (partitionOfTurn(getBearer(request)) !== undefined) return undefined;
    return this.authenticate(route, request);
  }

  private async awaitAnswer(answer: Promise<Answer>, trail: Trail): Promise<Answer> {
    try {
      return this.finish(await answer, trail);
    } catch (error) {
      return this.onFailure(error, trail);
    }
  }

  private onFailure(error: unknown, trail: Trail): Answer {
    const { route, request, requestId } = trail;
    const counted = route?.access === "open" ? this.countAnswer(error, request) : error;
    return this.finish(this.refusal(counted, requestId, route), trail);
  }

  /** Answers a request that the transport itself refuses. */
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
    this.log(answer, trail);
    return finishAnswer(answer, trail.requestId, trail.rate, trail.route);
  }

  private log(answer: Answer, trail: Trail): void {
    const { request, route, requestId, startedMs, principal } = trail;
    const status = request.isGone() ? leftStatus : answer.status;
    const ms = this.service.clock.monotonicMs() - startedMs;
    this.figures.add(route, status, ms / 1_000);
    this.tell(trail, status, ms);
    this.service.requests.add(status, startedMs, () => ({
      method: request.method,
      route: route?.path,
      status,
      ms: Math.round(ms * 10) / 10,
      requestId,
      made: idMadeBy(answer),
      account: principal?.user.id,
      address: request.address,
    }));
  }

  /** Reports a request to tracing tools when the client traces it. */
  private tell({ request, route }: Trail, status: number, ms: number): void {
    const { traces, clock } = this.service;
    const parent = traces && getTrace(request);
    if (parent === undefined) return;
    const endMs = clock.nowMs();
    const path = route?.path ?? "other";
    traces?.record({
      name: `${request.method} ${path}`,
      kind: "server",
      parent,
      startMs: endMs - ms,
      endMs,
      isFailed: status >= 500,
      attributes: { "http.route": path, "http.response.status_code": status },
    });
  }

  private get problems(): string {
    return `${this.service.baseUrl}/problems`;
  }

  private authenticate(route: Route, request: HttpRequest): Principal | undefined {
    if (route.access === "open") return undefined;
    try {
      return this.service.principals.of(request.headers["authorization"]);
    } catch (error) {
      throw this.countAnswer(error, request);
    }
  }

  /** Requests without valid credentials are counted by address. */
  private countAnswer(error: unknown, request: HttpRequest): unknown {
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

/** Throws `RefusalError`: 403 without the scope, 429 beyond the rate (submits check it later). */
function admit(route: Route, principal: Principal | undefined, rate: RateState | undefined): void {
  const { access, needs, isSubmit, leavesContext } = route;
  if (principal?.organization?.status === "suspended" && !leavesContext)
    throw new RefusalError({ code: "forbidden", detail: "This organization is suspended." });
  if (principal !== undefined && access !== "open" && access !== "bearer")
    requireScope(principal, access);
  if (principal !== undefined && needs !== undefined) requirePermission(principal, needs);
  if (rate?.isOver === true && !isSubmit) throw tooMany(rate);
}

/** Whether a credential was guessed wrongly; a device that waits for approval does not count. */
function isOfStranger(refusal: Refusal): boolean {
  if (refusal.code !== "oauth") return refusal.code === "unauthorized";
  return refusal.error.startsWith("invalid_");
}

function readBody(route: Route, request: HttpRequest): unknown {
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

function finishAnswer(
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
