/** All answers that an operation of the contract can give: successes and refusals. */

import { type Answers, type EventStream, isEventStream, type Route } from "../route.ts";
import type { Json, Members } from "./json.ts";
import { bytes, type Components } from "./published-components.ts";
import { rawFrames } from "./published-examples.ts";
import { describeHeaders } from "./published-headers.ts";
import { listRefusals } from "./published-refusals.ts";

export function describeResponses(route: Route, components: Components): Members {
  const responses: Record<string, Json> = {};
  const refusals = listRefusals(route);
  for (const [status, slugs] of refusals) responses[status] = components.refusal(status, slugs);
  for (const [key, answer] of Object.entries(route.answers)) {
    const status = Number(key);
    const slugs = refusals.get(status);
    const asProblem = slugs === undefined ? {} : components.problemBody(status, slugs);
    const content = { ...describeContent(answer, components), ...asProblem };
    responses[status] = {
      description: descriptions[status] ?? "As asked",
      headers: describeHeaders(route, status),
      ...(Object.keys(content).length === 0 ? {} : { content }),
    };
  }
  return responses;
}

const descriptions: Readonly<Record<number, string>> = {
  200: "Done",
  201: "Created",
  202: "Accepted",
  204: "Done; the response has no body",
  206: "A part",
  302: "Elsewhere",
  303: "See the page",
  304: "Not changed",
  400: "An OAuth error, or a problem if the request failed earlier",
  401: "The client is unknown, or its secret is wrong",
  416: "The range starts beyond the end",
  503: "Not ready, with the reason, or a problem if the request failed earlier",
};

function describeContent(answer: Answers[number] | undefined, components: Components): Members {
  if (answer === null || answer === undefined) return {};
  if (typeof answer === "string")
    return { [answer]: answer === "application/json" ? {} : { schema: bytes } };
  if (isEventStream(answer)) return describeEvents(answer, components);
  return components.body("application/json", answer);
}

/** Describes text whose frames match `contentSchema` (JSON Schema 2020-12, section 8.5). */
function describeEvents({ frames }: EventStream, components: Components): Members {
  const { title = "" } = frames as { readonly title?: string };
  const schema = {
    type: "string",
    contentMediaType: "text/event-stream",
    contentSchema: components.showSchema(frames),
    description:
      "Server-sent events; `contentSchema` describes one event, with its data parsed as JSON.",
  };
  return { "text/event-stream": { schema, examples: { frames: { value: rawFrames[title] } } } };
}
