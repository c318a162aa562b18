/** A web port that gives the answers that a test lists, and records the requests that it got. */
import { type Web, WebError, type WebRequest } from "../../engine/ports/web.ts";

export interface ScriptedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
}

/** Failures without an answer: the host was not reached, or went away after the request. */
export type Silence = "unreached" | "cut";

export interface ScriptedWeb extends Web {
  readonly requests: WebRequest[];
}

/** Creates a web port that gives these answers in turn and repeats the last one. */
export function createScriptedWeb(...answers: readonly (ScriptedAnswer | Silence)[]): ScriptedWeb {
  const requests: WebRequest[] = [];
  return {
    requests,
    async ask(request) {
      const answer = answers[Math.min(requests.length, answers.length - 1)];
      requests.push(request);
      if (answer === undefined || typeof answer === "string")
        throw new WebError("no answer", true, answer === "cut");
      const { status, headers = {}, json, text = JSON.stringify(json) ?? "" } = answer;
      return { status, headers, body: once(Buffer.from(text)), discard: () => undefined };
    },
    isPrivate: async () => false,
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
