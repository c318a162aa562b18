/** Translates what the farm reports about a render into the specification's terms. */
import { limits } from "../../config/limits.ts";
import type { StillParams } from "../../contract/render.ts";

const prefix =
  /^(invalid_composition|media_unavailable|render_timeout|out_of_memory|canceled|internal): /;

/** Ensures that a failure's text has a known prefix, and limits its length. */
export function failureText(message: string): string {
  const text = prefix.test(message) ? message : `internal: ${message}`;
  return text.slice(0, limits.renders.errorMax);
}

/** Returns the requested parameters with the frame and time that the farm found (`makeStill`). */
export function getStillParams(asked: StillParams, details: object | undefined): StillParams {
  const { frame, atSeconds } = (details ?? {}) as { frame?: unknown; atSeconds?: unknown };
  if (typeof frame !== "number" || typeof atSeconds !== "number") return asked;
  return { ...asked, frame, at_seconds: atSeconds };
}
