/** Routes for links to previews of stored compositions, and for the files below them. */
import { Preview } from "../../contract/composition.ts";
import { parseId, partitionOfId } from "../../engine/id.ts";
import { timestamp } from "../../engine/timestamp.ts";
import { findComposition } from "../compositions/compositions.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import { anyParameters } from "../request/query.ts";
import { type Call, type PartitionOf, type Route, route } from "../route.ts";
import { answerPreview } from "./preview-answers.ts";
import { findCurrent } from "./stored-previews.ts";

/** The partition that keeps the composition of a ticket. */
const atTicket: PartitionOf = ({ ids: [text = ""] }) => {
  const scope = parseId(text.slice(0, text.indexOf(".")));
  return scope === undefined ? undefined : partitionOfId(scope);
};

export const previewRoutes: readonly Route[] = [
  route("POST", "/v1/compositions/{id}/preview", {
    summary: "Mint a link to the preview of a composition's current revision",
    answers: { 201: Preview },
    access: "compositions",
    needs: "read",
    rate: "read",
    run: mintPreview,
  }),
  route("GET", "/preview/{ticket}/{rest}", {
    summary: "A file of a composition's preview",
    answers: { 200: "*/*", 204: null, 206: "*/*", 416: null },
    access: "open",
    anyOrigin: true,
    query: anyParameters,
    getPartition: atTicket,
    run: readPreview,
  }),
];

function mintPreview(call: Call): Answer {
  const { service, principal } = call;
  const { id, scope, revision } = findComposition(call);
  const subject = { scope, user: principal.user.id, composition: id, revision };
  const [text, ticket] = service.previewTickets.mint(subject, service.clock.nowMs());
  const url = `${new URL(service.baseUrl).origin}/preview/${text}/index.html`;
  return json(201, { url, revision, expires_at: timestamp(ticket.expiresAtMs) });
}

async function readPreview(call: Call): Promise<Answer> {
  const { service, request, ids } = call;
  const [text = "", rest = ""] = ids;
  const ticket = service.previewTickets.read(text, service.clock.nowMs());
  if (ticket === undefined)
    throw new RefusalError({ code: "forbidden", detail: "This link is not valid or has expired." });
  findCurrent(service, ticket);
  const preview = await service.previews.of(service, text, ticket);
  const { onFault } = service;
  try {
    return await answerPreview({ preview, request, rest, origin: getOrigin(call), onFault });
  } catch (error) {
    // A file that was replaced while it was read means that its revision is gone.
    findCurrent(service, ticket);
    throw error;
  }
}

/** Origin as the browser sees it, though its scheme may differ behind a proxy. */
function getOrigin({ service, request }: Call): string {
  const host = request.headers["host"] ?? "";
  const isHost = /^([a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(:\d{1,5})?$/i.test(host);
  return isHost ? `http://${host}` : new URL(service.baseUrl).origin;
}
