/** What the farm says of a render, in the words of the specification. */
import { limits } from "../../config/limits.ts";
import type { StillParams } from "../../contract/render.ts";

const prefix =
  /^(invalid_composition|media_unavailable|render_timeout|out_of_memory|canceled|internal): /;

/** With one of the known prefixes, and not too long. */
export function failureText(message: string): string {
  const text = prefix.test(message) ? message : `internal: ${message}`;
  return text.slice(0, limits.renders.errorMax);
}

/** As asked for, with the time that the farm found; see `makeStill` for its details. */
export function getStillParams(asked: StillParams, details: object | undefined): StillParams {
  const { frame, atSeconds } = (details ?? {}) as { frame?: unknown; atSeconds?: unknown };
  if (typeof frame !== "number" || typeof atSeconds !== "number") return asked;
  return { ...asked, frame, at_seconds: atSeconds };
}
