/** Quotes the price of the request in the form, again shortly after each change. */
import type {
  JobCostQuote,
  JobCostRequest,
} from "../../clients/typescript/src/generated/models.ts";
import { createFault } from "../asked.ts";
import { readClockMs } from "../clock.ts";
import { klieg, noteRefusal } from "../session.ts";
import { useEffect, useState } from "../view.ts";
import type { Body } from "./body.ts";
import type { Kind } from "./kinds.ts";

export type Quote =
  | { readonly phase: "none" }
  | { readonly phase: "wrong"; readonly detail: string }
  | { readonly phase: "asked"; readonly quote: JobCostQuote };

const pauseMs = 300;
/** A confirmation token with less time left than this is not sent. */
const leftMs = 5_000;

/** `isWhole`: every required field is filled in. `turn` changes when a quote has been used. */
export function useQuote(kind: Kind, body: Body | undefined, isWhole: boolean, turn: number) {
  const [quote, setQuote] = useState<Quote>({ phase: "none" });
  const key = isWhole ? `${kind.name} ${JSON.stringify(body)}` : "";
  useEffect(() => {
    if (key === "" || body === undefined) return setQuote({ phase: "none" });
    const ending = new AbortController();
    const timer = setTimeout(() => {
      const request = { kind: kind.name, [kind.name]: kind.buildRequest(body) } as JobCostRequest;
      klieg.value.jobs.quote(request, { signal: ending.signal }).then(
        (asked) => setQuote({ phase: "asked", quote: asked }),
        (error: unknown) => {
          if (ending.signal.aborted) return;
          noteRefusal(error);
          setQuote({ phase: "wrong", detail: createFault(error).detail });
        },
      );
    }, pauseMs);
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [key, turn]);
  return quote;
}

/** Returns the quote's token, which ensures that no more is charged than was shown. */
export function getConfirmation(quote: Quote): string | undefined {
  if (quote.phase !== "asked") return undefined;
  const { expires_at: expires, confirmation_token: token } = quote.quote;
  return Date.parse(expires) - readClockMs() > leftMs ? token : undefined;
}
