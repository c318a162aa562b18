/** The refusal of a client that began to send a body and then sent nothing for too long. */
import type { Refusal } from "../../actors/refusal.ts";
import { limits } from "../../config/limits.ts";

const detail = `No part of the body arrived for ${limits.http.bodyIdleMs / 1000} seconds.`;
export const stalledBody: Refusal = {
  code: "validation",
  detail,
  faults: [{ pointer: "", detail }],
};
