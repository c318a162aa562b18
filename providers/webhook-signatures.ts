/**
 * Signatures of callbacks: their time, and those of Standard Webhooks
 * (https://www.standardwebhooks.com). Only the library's signature is used, because its check of
 * the time reads the system clock.
 */
import { timingSafeEqual } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { limits } from "../config/limits.ts";
import type { Callback } from "./provider.ts";

/** Parsed `whsec_...` secret of a provider. */
export type WebhookSecret = Webhook;

/** Parses a secret. Throws when it is not `whsec_` followed by base64. */
export function parseWebhookSecret(secret: string): WebhookSecret {
  return new Webhook(secret);
}

/** Whether a header's time in Unix seconds is near enough to `nowMs`. */
export function isTimely(seconds: string | undefined, nowMs: number): seconds is string {
  if (seconds === undefined || !/^[1-9]\d{0,11}$/.test(seconds)) return false;
  return Math.abs(nowMs - Number(seconds) * 1000) <= limits.providers.callbackAgeMs;
}

/** Whether a callback has the three headers of Standard Webhooks, with a time close to `nowMs`. */
export function isStandardWebhook({ headers }: Callback, nowMs: number): boolean {
  const hasNames =
    headers["webhook-id"] !== undefined && headers["webhook-signature"] !== undefined;
  return hasNames && isTimely(headers["webhook-timestamp"], nowMs);
}

/** Checks the signature of a callback for which `isStandardWebhook` is true. */
export function isSignedWith(secret: WebhookSecret, { headers, rawBody }: Callback): boolean {
  const time = new Date(Number(headers["webhook-timestamp"]) * 1000);
  const right = Buffer.from(secret.sign(headers["webhook-id"] ?? "", time, Buffer.from(rawBody)));
  return (headers["webhook-signature"] ?? "").split(" ").some((given) => {
    const signature = Buffer.from(given);
    return signature.length === right.length && timingSafeEqual(signature, right);
  });
}
