/**
 * Answers with stored bytes: all of them, or one `Range`, under the client's conditions (RFC 9110,
 * sections 13 and 14).
 */
import type { ByteRange, Objects } from "../../engine/ports/objects.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type { Answer, Header, HttpRequest, Sink, Stream } from "../exchange/answer.ts";
import {
  isRangeWanted,
  isUnchanged,
  type Validators,
  validatorHeaders,
} from "../request/conditions.ts";

/** Where the bytes are stored, and where server-side faults are reported. */
export interface ByteSource {
  readonly objects: Pick<Objects, "read">;
  readonly onFault: (place: string, error: unknown) => void;
}

export interface StoredBytes {
  readonly key: string;
  readonly sizeBytes: number;
  readonly validators?: Validators | undefined;
}

/** Answers 200, 206, 304, or 416 for an unsatisfiable range. Throws `RefusalError` with 412. */
export function sendStoredBytes(
  source: ByteSource,
  request: Pick<HttpRequest, "headers">,
  { key, sizeBytes, validators }: StoredBytes,
  given: readonly Header[],
): Answer {
  const headers: Header[] = [
    ...given,
    ...(validators === undefined ? [] : validatorHeaders(validators)),
    ["Accept-Ranges", "bytes"],
    ["Content-Security-Policy", "default-src 'none'; sandbox"],
  ];
  if (validators !== undefined && isUnchanged(request.headers, validators))
    return { status: 304, headers, body: "" };
  const wanted = isRangeWanted(request.headers, validators) ? request.headers["range"] : undefined;
  const range = parseRange(wanted, sizeBytes);
  if (range === undefined)
    return { status: 200, headers, body: createStream(source, key, { start: 0, end: sizeBytes }) };
  if (range.start >= range.end)
    return { status: 416, headers: [["Content-Range", `bytes */${sizeBytes}`]], body: "" };
  headers.push(["Content-Range", `bytes ${range.start}-${range.end - 1}/${sizeBytes}`]);
  return { status: 206, headers, body: createStream(source, key, range) };
}

/**
 * The range, or undefined when all bytes are sent: for no range, several, or other units. Empty
 * when the range cannot be satisfied.
 */
function parseRange(header: string | undefined, sizeBytes: number): ByteRange | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "");
  const [, first = "", last = ""] = match ?? [];
  if (match === null || (first === "" && last === "")) return undefined;
  if (first === "") return { start: Math.max(0, sizeBytes - Number(last)), end: sizeBytes };
  if (last !== "" && Number(last) < Number(first)) return undefined;
  const end = last === "" ? sizeBytes : Math.min(sizeBytes, Number(last) + 1);
  return { start: Number(first), end };
}

function createStream(source: ByteSource, key: string, range: ByteRange): Stream {
  return {
    length: range.end - range.start,
    start(sink) {
      let isGone = false;
      const wake = { run: () => {} };
      sink.onDrain(() => wake.run());
      pump(source, key, range, sink, () => isGone, wake).catch((error: unknown) => {
        if (!(error instanceof PortError)) source.onFault("objects", error);
        if (!isGone) sink.abort();
      });
      return () => {
        isGone = true;
        wake.run();
      };
    },
  };
}

async function pump(
  { objects }: ByteSource,
  key: string,
  range: ByteRange,
  sink: Sink,
  isGone: () => boolean,
  wake: { run: () => void },
): Promise<void> {
  for await (const chunk of objects.read(key, range)) {
    if (isGone()) return;
    if (sink.write(chunk)) continue;
    await new Promise<void>((resolve) => {
      wake.run = resolve;
    });
  }
  if (!isGone()) sink.end();
}
