/** A request's route, or the answer to one without. */
import type { Refusal } from "../actors/refusal.ts";
import { type Route, route } from "./route.ts";
import type { BodyBounds } from "./transport/application.ts";
import { preflightHeaders } from "./transport/cors.ts";

/** The route of a request, or the reason why it has none. */
export interface Match extends BodyBounds {
  readonly route: Route | undefined;
  readonly refusal: Refusal | undefined;
  readonly ids: readonly string[];
}

/** Answers a browser's preflight for a page of another origin. */
export function preflight(routes: ReadonlyMap<string, Route>, ids: readonly string[]): Match {
  const isShared = [...routes.values()].some((shared) => shared.anyOrigin);
  const methods = listAllowed(routes);
  const answered = route("GET", "", {
    summary: "Filters of the list",
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

export function createUnmatched(refusal: Refusal): Match {
  return { route: undefined, refusal, ids: [], bodyBytesMax: 0, streamBytesMax: undefined };
}

export function listAllowed(routes: ReadonlyMap<string, Route>): string {
  const names = [...routes].flatMap(([name, { takesHead }]) =>
    takesHead ? [name, "HEAD"] : [name],
  );
  return names.join(", ");
}
