/** Refusals as answers: problem objects (RFC 9457), and what OAuth says in their place. */
import type { Refusal } from "../../actors/refusal.ts";
import { type Answer, type Header, json } from "../exchange/answer.ts";
import { type Explained, type Problem, problemTable } from "./problem-table.ts";

/** `problems` is the URL under which the types are explained. */
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

/** RFC 6749, section 5.2: no problem object. */
function oauthError({ error, detail }: Extract<Refusal, { code: "oauth" }>): Answer {
  const headers: Header[] = [["Cache-Control", "no-store"]];
  const body = { error, error_description: detail };
  if (error !== "invalid_client") return json(400, body, headers);
  return json(401, body, [...headers, ["WWW-Authenticate", 'Basic realm="klieg"']]);
}

/** The problem of a refusal, without the request it answers. */
export function buildProblem(refusal: Refusal) {
  if (refusal.code === "oauth")
    return { slug: "oauth", status: 400, title: refusal.error, detail: refusal.detail };
  const { slug, status, title, code, detail, headers } = explain(refusal);
  return { slug, status, title, code, detail, headers };
}

/** The table's type pairs each code with its refusal, which a lookup by a union cannot show. */
function explain(refusal: Explained): Problem {
  return (problemTable[refusal.code] as (refusal: Explained) => Problem)(refusal);
}
