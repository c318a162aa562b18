/** Sends an HTTP request to one node, with a time limit. */
import type { EngineNode } from "./cluster.ts";

export interface Request {
  readonly method?: "POST" | "PATCH" | "PUT" | "DELETE";
  readonly path: string;
  readonly token: string;
  /** A form or bytes are sent as they are, anything else as JSON. */
  readonly body?: object | string;
  readonly idempotencyKey?: string;
  readonly timeoutMs?: number;
}

export interface Reply {
  /** HTTP status; 0 when the connection was refused, so nothing was sent; -1 without an answer. */
  readonly status: number;
  readonly text: string;
}

export async function ask({ origin }: EngineNode, request: Request): Promise<Reply> {
  const { method, path, token, body, idempotencyKey, timeoutMs = 5_000 } = request;
  const isJson = typeof body === "object" && !(body instanceof FormData);
  const headers = new Headers({ authorization: `Bearer ${token}` });
  if (isJson) headers.set("content-type", "application/json");
  if (idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey);
  const content = isJson ? JSON.stringify(body) : body;
  try {
    const reply = await fetch(`${origin}/v1${path}`, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers,
      signal: AbortSignal.timeout(timeoutMs),
      ...(content === undefined ? {} : { body: content }),
    });
    return { status: reply.status, text: await reply.text() };
  } catch (error) {
    const cause = (error as Error).cause as { code?: string } | undefined;
    return { status: cause?.code === "ECONNREFUSED" ? 0 : -1, text: String(cause ?? error) };
  }
}

export function parseReply<T>({ text }: Reply): T {
  return JSON.parse(text) as T;
}

/** Whether another node, or the same node later, may answer differently. */
export function isAway({ status }: Reply): boolean {
  return status <= 0 || status === 502 || status === 503 || status === 504;
}
