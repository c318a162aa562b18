/**
 * Which problem types each operation of the contract can answer with. Rules read them from the
 * route's row; a table names what only the route's function knows. The specification's tests hold
 * every refusal that they meet against this.
 */
import { problemTypes } from "../problems/problem-types.ts";
import { isEventStream, type Route, takesBody } from "../route.ts";
import type { Slug } from "./sample-refusals.ts";

interface Rule {
  readonly slugs: readonly Slug[];
  readonly applies: (route: Route) => boolean;
}

const rules: readonly Rule[] = [
  {
    slugs: ["validation", "uri-too-long", "headers-too-large", "internal", "unavailable"],
    applies: () => true,
  },
  {
    slugs: ["unauthorized", "forbidden", "run-ended", "rate-limit"],
    applies: ({ access }) => access !== "open",
  },
  { slugs: ["not-found"], applies: ({ path }) => path.includes("{") },
  {
    slugs: ["method-not-allowed"],
    applies: ({ method, takesHead }) => method === "GET" && !takesHead,
  },
  { slugs: ["payload-too-large"], applies: takesBody },
  { slugs: ["unsupported-media-type"], applies: takesBody },
  { slugs: ["conflict"], applies: isChange },
  { slugs: ["duplicate"], applies: isKeyed },
  {
    slugs: ["plan-required", "out-of-credits", "member-budget", "approval-needed"],
    applies: ({ isSubmit }) => isSubmit,
  },
  {
    slugs: ["prompt-nsfw", "ip-detected", "confirmation-rejected", "job-failed"],
    applies: isGeneration,
  },
  { slugs: ["concurrency", "quota"], applies: isGeneration },
  { slugs: ["unauthorized", "forbidden", "rate-limit"], applies: isStream },
];

/** Problem types that single routes add to the general ones. */
const more: Readonly<Record<string, readonly Slug[]>> = {
  "GET /v1/jobs/{id}/wait": ["wait-timeout"],
  "PUT /v1/me/active-organization": ["not-found"],
  "POST /v1/oauth/token": ["rate-limit"],
  "POST /v1/oauth/revoke": ["rate-limit"],
  "POST /v1/oauth/device_authorization": ["rate-limit"],
  "POST /v1/oauth/device/approve": ["not-found"],
  "GET /": ["not-acceptable"],
  "GET /v1/problems/{slug}": ["not-acceptable"],
  "GET /v1/reports/spend": ["not-acceptable"],
  "GET /v1/organizations/{id}/usage": ["not-acceptable"],
  "POST /v1/jobs/cost": ["plan-required"],
  "GET /v1/assets/{id}/content": ["conflict"],
  "POST /v1/assets/uploads/{id}/parts": ["conflict"],
  "POST /v1/assets/uploads/{id}/complete": ["upload-incomplete"],
  "PUT /uploads/{scope}/{id}/{part}": ["forbidden", "conflict"],
  "GET /objects/{rest}": ["forbidden", "precondition-failed"],
  "GET /v1/compositions/{id}/file": ["precondition-failed"],
  "GET /preview/{ticket}/{rest}": ["forbidden", "payload-too-large"],
  "GET /v1/share/{token}": ["share-password-required", "gone", "rate-limit"],
  "POST /v1/share/{token}": ["share-password-required", "gone", "rate-limit"],
  "POST /v1/callbacks/{provider}": ["unauthorized", "forbidden", "rate-limit"],
  "GET /v1/compositions/{id}": ["conflict"],
  "GET /v1/compositions/{id}/timeline": ["conflict", "payload-too-large"],
  "GET /v1/compositions/{id}/export": ["conflict", "payload-too-large", "unexportable"],
  "POST /v1/compositions/{id}/files:signed-urls": ["conflict"],
  "POST /v1/compositions/{id}/imports/figma": ["upstream"],
  "PATCH /v1/compositions/{id}": ["precondition-failed"],
  "DELETE /v1/compositions/{id}": ["precondition-failed"],
  "PUT /v1/compositions/{id}/file": ["precondition-failed"],
  "DELETE /v1/compositions/{id}/file": ["precondition-failed"],
};

/** Whether a route changes anything; a POST that changes nothing has the rate class `read`. */
function isChange({ method, access, rate, isSubmit }: Route): boolean {
  return method !== "GET" && access !== "open" && rate !== "read" && !isSubmit;
}

/** Whether a route is a submit whose work is accepted for later, not done at once. */
function isKeyed({ takesKey, answers }: Route): boolean {
  return takesKey && Object.hasOwn(answers, 202);
}

function isGeneration({ isSubmit, answers }: Route): boolean {
  return isSubmit && Object.hasOwn(answers, 202);
}

function isStream({ answers }: Route): boolean {
  return isEventStream(answers[200]);
}

/** Lists the problem types of a route by status, both in the order of their table. */
export function listRefusals(route: Route): ReadonlyMap<number, readonly Slug[]> {
  const found = new Set<string>(more[`${route.method} ${route.path}`]);
  for (const { slugs, applies } of rules)
    if (applies(route)) for (const slug of slugs) found.add(slug);
  const slugsByStatus = new Map<number, Slug[]>();
  for (const { slug, statuses } of problemTypes)
    if (found.has(slug))
      for (const status of statuses)
        slugsByStatus.set(status, [...(slugsByStatus.get(status) ?? []), slug as Slug]);
  return new Map([...slugsByStatus].sort(([one], [other]) => one - other));
}
