/** Signs bodies as Standard Webhooks says. */
import { createHmac, randomBytes } from "node:crypto";
import type { SignedBody } from "./simulator.ts";

export function newSecret(): string {
  return `whsec_${randomBytes(24).toString("base64")}`;
}

/** Signs with another secret before the right one, as while a secret is being changed. */
export function signStandard(
  secret: string,
  { id, nowMs, body }: { readonly id: string; readonly nowMs: number; readonly body: string },
): SignedBody {
  const seconds = String(Math.floor(nowMs / 1000));
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const digest = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
  const other = createHmac("sha256", "another").update(body).digest("base64");
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": seconds,
    "webhook-signature": `v1,${other} v1,${digest}`,
  };
  return { body, headers };
}
