/** What actors and the engine reply to a request, read in one place. */
import type { Refusal } from "../actors/refusal.ts";
import { limits } from "../config/limits.ts";
import { RefusalError } from "./refusal-error.ts";

interface Reply {
  readonly kind: string;
}

/** The reply itself, when it is one of `kinds`; throws `RefusalError` for refusals and faults. */
export function expectReply<R extends Reply>(reply: unknown, ...kinds: R["kind"][]): R {
  const { kind } = reply as Reply;
  if (kinds.includes(kind)) return reply as R;
  throw new RefusalError(refusalOf(reply as Reply));
}

function refusalOf(reply: Reply): Refusal {
  const { retryAfterSeconds } = limits.http;
  switch (reply.kind) {
    case "refused":
      return (reply as Reply & { refusal: Refusal }).refusal;
    case "busy":
      return { code: "unavailable", retryAfterSeconds };
    case "lost":
      return {
        code: "unavailable",
        retryAfterSeconds,
        detail:
          "The outcome is unknown. Establish whether the request took effect before repeating it.",
      };
    default:
      throw new Error(`an actor answered ${reply.kind}`);
  }
}
