/** Asks a farm node to lay out a composition's page, for an export. */

import { type Measure, measuringKey, measuringObjects } from "../../actors/protocol/measuring.ts";
import { limits } from "../../config/limits.ts";
import { partitionOfId } from "../../engine/id.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import type { Writing } from "../../timeline/export/writing.ts";
import type { Timeline } from "../../timeline/model.ts";
import type { Snapshot } from "../compositions/compositions.ts";
import { listSources, manifestText } from "../compositions/renders.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import { expectReply } from "../problems/replies.ts";
import type { Call } from "../route.ts";
import { readWhole } from "./whole-object.ts";

type Measurement = Pick<Writing, "measurement" | "unmeasured">;

/**
 * Returns only the reason when there is no farm or the page cannot be laid out. Throws
 * `RefusalError` with 503 when no node took the task in time: repeating the request later gives the
 * result.
 */
export async function measureComposition(
  call: Call<unknown, unknown>,
  snapshot: Snapshot,
  timeline: Timeline,
  { drawsTexts }: { readonly drawsTexts: boolean },
): Promise<Measurement> {
  const { service, principal } = call;
  const { objects, gateway, ids, health } = service;
  if (health.renderers === "degraded")
    return { measurement: undefined, unmeasured: "this service has no render workers" };
  const id = ids.under(partitionOfId(principal.scope));
  const manifestKey = `${measuringObjects(id)}/manifest.json`;
  try {
    await objects.put(manifestKey, [Buffer.from(manifestText(snapshot))]);
    const input = { manifestKey, assets: listSources(call, timeline), drawsTexts };
    const message: Measure = { kind: "measure", id, scope: principal.scope, input };
    const reply = await gateway.ask(measuringKey(id), message, "work");
    const result = expectReply(reply, "measured", "failed", "late");
    if (result.kind === "late") throw new RefusalError(busy);
    if (result.kind === "failed") return { measurement: undefined, unmeasured: result.reason };
    return { measurement: await takeMeasurement(objects, result.objectKey), unmeasured: undefined };
  } finally {
    await objects.remove(manifestKey);
  }
}

async function takeMeasurement(objects: Objects, key: string): Promise<Uint8Array> {
  const { sizeBytes = 0 } = (await objects.stat(key)) ?? {};
  const { measurementBytesMax: limitBytes } = limits.exports;
  try {
    if (sizeBytes <= limitBytes) return await readWhole(objects, key, sizeBytes);
  } finally {
    await objects.remove(key);
  }
  const detail = "The pictures of the added texts are too large for one export.";
  throw new RefusalError({ code: "payload_too_large", limitBytes, detail });
}

const busy = {
  code: "unavailable",
  retryAfterSeconds: limits.exports.retryAfterSeconds,
  detail: "No render worker was free to lay out the composition in time. Try again shortly.",
} as const;
