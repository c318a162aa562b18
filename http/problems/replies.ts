/** Evaluates the replies of actors and the engine to a request, in one place. */
import type { Refusal, Refused } from "../../actors/refusal.ts";
import { limits } from "../../config/limits.ts";
import type { Unanswered } from "../../engine/gateway.ts";
import { RefusalError } from "../exchange/refusal-error.ts";

interface Reply {
  readonly kind: string;
}

type Failure = Refused | Unanswered;
/**
 * `unknown` when the caller handles every kind of reply; otherwise a type that no reply has, so
 * that the call does not compile.
 */
type Handled<R extends Reply, Kind> = [Exclude<R["kind"], Kind | Failure["kind"]>] extends [never]
  ? unknown
  : { readonly unhandled: Exclude<R["kind"], Kind | Failure["kind"]> };

/**
 * Returns the reply, which must be of one of `kinds`: all that the actor may answer apart from
 * refusals. Throws `RefusalError` for refusals and faults.
 */
export function expectReply<R extends Reply, Kind extends R["kind"]>(
  reply: R & Handled<R, Kind>,
  ...kinds: Kind[]
): Extract<R, { readonly kind: Kind }> {
  if (isReply(reply, kinds)) return reply;
  throw new RefusalError(findRefusal(reply));
}

function isReply<R extends Reply, Kind extends string>(
  reply: R,
  kinds: readonly Kind[],
): reply is Extract<R, { readonly kind: Kind }> {
  const known: readonly string[] = kinds;
  return known.includes(reply.kind);
}

function findRefusal(reply: Reply): Refusal {
  const { retryAfterSeconds } = limits.http;
  const failure = reply as Failure;
  switch (failure.kind) {
    case "refused":
      return failure.refusal;
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
      throw new Error(`an actor answered ${failure.kind}`);
  }
}
