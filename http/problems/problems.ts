/** Turns refusals into answers: problem objects (RFC 9457), or the OAuth format in their place. */
import type { Refusal } from "../../actors/refusal.ts";
import { type Answer, type Header, json } from "../exchange/answer.ts";
import { type Explained, type Problem, problemTable } from "./problem-table.ts";

/** `problems` is the URL below which the problem types are explained. */
export function problem(refusal: Refusal, requestId: string, problems: string): Answer {
  if (refusal.code === "oauth") return oauthError(refusal);
  const { slug, status, title, code, detail, members, headers = [] } = explain(refusal);
  const body = {
    type: `${problems}/${slug}`,
    title,
    status,
    code,
    detail,
    instance: `urn:klieg:request:${requestId}`,
    request_id: requestId,
    ...members,
  };
  return {
    status,
    headers: [["Content-Type", "application/problem+json"], ...headers],
    body: JSON.stringify(body),
  };
}

/** The error format of RFC 6749, section 5.2, which is not a problem object. */
function oauthError({ error, detail }: Extract<Refusal, { code: "oauth" }>): Answer {
  const headers: Header[] = [["Cache-Control", "no-store"]];
  const body = { error, error_description: detail };
  if (error !== "invalid_client") return json(400, body, headers);
  return json(401, body, [...headers, ["WWW-Authenticate", 'Basic realm="klieg"']]);
}

/** The problem object of a refusal, without the id of the request that it answers. */
export function buildProblem(refusal: Refusal) {
  if (refusal.code === "oauth")
    return { slug: "oauth", status: 400, title: refusal.error, detail: refusal.detail };
  const { slug, status, title, code, detail, headers } = explain(refusal);
  return { slug, status, title, code, detail, headers };
}

/** The table pairs each code with its refusal, which TypeScript cannot see for a union. */
function explain(refusal: Explained): Problem {
  return (problemTable[refusal.code] as (refusal: Explained) => Problem)(refusal);
}
