/**
 * `POST /callbacks/{provider}`: a provider says that a job has changed. Its signature and the job's
 * token are checked; then the job is read at the provider. The body is never the result, but for
 * the adapter `cog`, whose containers cannot be asked.
 */
import { BlockList, isIP } from "node:net";
import { type Job, jobKey } from "../../actors/protocol/job.ts";
import { limits } from "../../config/limits.ts";
import type { ProviderConfig } from "../../config/providers/provider-config.ts";
import { Type } from "../../config/schema.ts";
import type { CallbackAnswer } from "../../effects/provider-jobs.ts";
import { parseId } from "../../engine/id.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import { optionalText } from "../request/query.ts";
import { atNamedId, type Call, type Route, route } from "../route.ts";
import type { Service } from "../service.ts";

interface Query {
  readonly job: string | undefined;
  readonly t: string | undefined;
}

/** `ignored` means a duplicate, or a callback for a job that needs none any more. */
const CallbackTaken = Type.Object(
  { status: Type.Enum(["accepted", "ignored"]) },
  { title: "CallbackTaken" },
);

export const callbackRoutes: readonly Route[] = [
  route("POST", "/v1/callbacks/{provider}", {
    summary: "Report that a job at a provider has changed; for providers only",
    answers: { 200: CallbackTaken },
    access: "open",
    getPartition: ({ query }) =>
      atNamedId({ ids: [new URLSearchParams(query).get("job") ?? ""], query }),
    query: { job: optionalText(36), t: optionalText(64) },
    streamBytesMax: limits.callbacks.outcomeBytesMax,
    run: receive,
  }),
];

async function receive(call: Call<unknown, Query>): Promise<Answer> {
  const { service, id: provider } = call;
  const config = service.providers.find(({ name }) => name === provider);
  if (config === undefined || !callsBack(config)) throw new RefusalError({ code: "not_found" });
  const count = (outcome: CallbackAnswer | "rejected") =>
    service.tally.count("callbacks_total", { provider, outcome }).add();
  const answer = await take(call, config).catch((error: unknown) => {
    count("rejected");
    throw error;
  });
  count(answer);
  switch (answer) {
    case "accepted":
      return json(200, { status: "accepted" });
    case "ignored":
      return json(200, { status: "ignored" });
    case "forged":
      throw new RefusalError({ code: "unauthorized", presented: false });
    case "refused":
      throw wrongToken();
  }
}

/** Takes a callback. Throws `RefusalError` for one that can be refused unread. */
async function take(
  { service, query, request }: Call<unknown, Query>,
  config: ProviderConfig,
): Promise<CallbackAnswer> {
  const { name: provider } = config;
  checkAddress(config, request.address);
  const job = parseId(query.job ?? "");
  const head = job === undefined ? undefined : service.gateway.read(jobKey(job));
  const submits = countSubmits(head);
  const number =
    job === undefined
      ? undefined
      : service.callbackTokens.findSubmission(query.t ?? "", provider, job, submits);
  if (number === undefined) service.callbackRates.countClient(request.address);
  else service.callbackRates.countProvider(provider);
  // The body may be large, and only the token proves who sent it.
  if (config.adapter === "cog" && number === undefined) throw wrongToken();
  const { bodyBytesMax, outcomeBytesMax } = limits.callbacks;
  const bytesMax = config.adapter === "cog" ? outcomeBytesMax : bodyBytesMax;
  const rawBody = await readBody(request.incoming, bytesMax);
  // Such a callback can be told from a forged one only while its job still exists.
  if (config.adapter === "cog" && !isOpen(head)) return "ignored";
  const callback = { rawBody, headers: request.headers };
  return askAnswer(service, { provider, job, number, callback });
}

/** Account-wide webhooks are accepted only with their secret; graph servers send none. */
function callsBack({ adapter, webhookSecret }: ProviderConfig): boolean {
  return adapter !== "comfyui" && (adapter !== "openai" || webhookSecret !== undefined);
}

async function askAnswer(service: Service, question: Parameters<Service["line"]["callBack"]>[0]) {
  try {
    return await service.line.callBack(question);
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    throw new RefusalError({ code: "unavailable", retryAfterSeconds: 5 });
  }
}

/** Number of submissions of a job, which is known until the job has ended. */
function countSubmits(head: Job | undefined): number {
  const submits = head !== undefined && "submits" in head ? head.submits : undefined;
  return submits ?? limits.callbacks.submissionsMax;
}

/** Whether the job still waits for its provider. */
function isOpen(head: Job | undefined): boolean {
  switch (head?.phase) {
    case "queued":
    case "running":
      return true;
    case "canceled":
      return head.settlement.kind === "pending";
    case "succeeded":
    case "failed":
    case undefined:
      return false;
  }
}

function checkAddress({ callbackAddresses }: ProviderConfig, address: string): void {
  if (callbackAddresses.length === 0) return;
  const allowed = new BlockList();
  for (const network of callbackAddresses) {
    const [net = "", bits] = network.split("/");
    const family = isIP(net) === 6 ? "ipv6" : "ipv4";
    allowed.addSubnet(net, Number(bits ?? (family === "ipv6" ? 128 : 32)), family);
  }
  if (allowed.check(address, isIP(address) === 6 ? "ipv6" : "ipv4")) return;
  const detail = "Callbacks of this provider are not accepted from this address.";
  throw new RefusalError({ code: "forbidden", detail });
}

async function readBody(
  incoming: AsyncIterable<Uint8Array> | undefined,
  bytesMax: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of incoming ?? []) {
    bytes += chunk.length;
    if (bytes > bytesMax)
      throw new RefusalError({ code: "payload_too_large", limitBytes: bytesMax });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function wrongToken(): RefusalError {
  return new RefusalError({ code: "forbidden", detail: "The callback's token is not valid." });
}
