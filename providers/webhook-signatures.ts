/**
 * Signatures of callbacks: their time, and those of Standard Webhooks
 * (https://www.standardwebhooks.com). The library's own check of the time asks the system's clock,
 * so only its signature is used.
 */
import { timingSafeEqual } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { limits } from "../config/limits.ts";
import type { Callback } from "./provider.ts";

/** The `whsec_...` of a provider. */
export type WebhookSecret = Webhook;

/** Throws for a secret that is not `whsec_` and base64. */
export function parseWebhookSecret(secret: string): WebhookSecret {
  return new Webhook(secret);
}

/** Whether a time in Unix seconds, as a header has it, is near enough to `nowMs`. */
export function isTimely(seconds: string | undefined, nowMs: number): seconds is string {
  if (seconds === undefined || !/^[1-9]\d{0,11}$/.test(seconds)) return false;
  return Math.abs(nowMs - Number(seconds) * 1000) <= limits.providers.callbackAgeMs;
}

/** Whether a callback has the three headers of Standard Webhooks, the time among them in reach. */
export function isStandardWebhook({ headers }: Callback, nowMs: number): boolean {
  const hasNames =
    headers["webhook-id"] !== undefined && headers["webhook-signature"] !== undefined;
  return hasNames && isTimely(headers["webhook-timestamp"], nowMs);
}

/** Of a callback that `isStandardWebhook`. */
export function isSignedWith(secret: WebhookSecret, { headers, rawBody }: Callback): boolean {
  const time = new Date(Number(headers["webhook-timestamp"]) * 1000);
  const right = Buffer.from(secret.sign(headers["webhook-id"] ?? "", time, Buffer.from(rawBody)));
  return (headers["webhook-signature"] ?? "").split(" ").some((given) => {
    const signature = Buffer.from(given);
    return signature.length === right.length && timingSafeEqual(signature, right);
  });
}
