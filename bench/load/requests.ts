/** Builds the requests that make up a load, as they are on the wire. */
import type { Account } from "./accounts.ts";
import { numberDigits, type Requests, type TextPair } from "./closed-loop.ts";

/** Builds submits with distinct prompts, so that the duplicate rule refuses none. */
export function writeSubmits(
  accounts: readonly Account[],
  host: string,
  run: number,
): Requests & { readonly kind: "numbered" } {
  return { kind: "numbered", parts: accounts.map(({ token }) => submitParts(token, host, run)) };
}

/** Returns a function that builds the same requests, for a sender that numbers them itself. */
export function writeNumbered({ parts }: ReturnType<typeof writeSubmits>): (n: number) => string {
  return (n) => {
    const [head, tail] = parts[n % parts.length] ?? ["", ""];
    return `${head}${String(n).padStart(numberDigits, "0")}${tail}`;
  };
}

/** Builds submits, each followed by a wait for the end of the job that it created. */
export function writeFollowedSubmits(
  accounts: readonly Account[],
  host: string,
  run: number,
): Requests {
  return {
    kind: "followed",
    parts: accounts.map(({ token }) => submitParts(token, host, run)),
    owners: accounts.map(({ id }) => id),
    follows: accounts.map(({ token }) => [
      "GET /v1/jobs/",
      `/wait HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    ]),
  };
}

export function writeGet(path: string, host: string, token: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
}

export function writePost(path: string, host: string, token: string, body: string): string {
  return (
    `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

function submitParts(token: string, host: string, run: number): TextPair {
  const before = `{"model":"sim-instant","prompt":"a red kite over dunes at dusk, run ${run} `;
  const after = '"}';
  const length = before.length + numberDigits + after.length;
  const head =
    `POST /v1/generate/image HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
  return [head + before, after];
}
