/** Stored bytes as an answer: whole, or one `Range` of them (RFC 9110, section 14). */
import type { ByteRange, Objects } from "../../engine/ports/objects.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type { Answer, Header, HttpRequest, Sink, Stream } from "../transport/answer.ts";

/** Where bytes are, and who is told of a fault that is ours. */
export interface ByteSource {
  readonly objects: Pick<Objects, "read">;
  readonly onFault: (place: string, error: unknown) => void;
}

/** 200, 206, or 416 for a range that cannot be satisfied. */
export function storedBytes(
  source: ByteSource,
  { headers: { range: wanted } }: Pick<HttpRequest, "headers">,
  { key, sizeBytes }: { readonly key: string; readonly sizeBytes: number },
  given: readonly Header[],
): Answer {
  const headers: Header[] = [
    ...given,
    ["Accept-Ranges", "bytes"],
    ["Content-Security-Policy", "default-src 'none'; sandbox"],
  ];
  const range = rangeOf(wanted, sizeBytes);
  if (range === undefined)
    return { status: 200, headers, body: streamOf(source, key, { start: 0, end: sizeBytes }) };
  if (range.start >= range.end)
    return { status: 416, headers: [["Content-Range", `bytes */${sizeBytes}`]], body: "" };
  headers.push(["Content-Range", `bytes ${range.start}-${range.end - 1}/${sizeBytes}`]);
  return { status: 206, headers, body: streamOf(source, key, range) };
}

/**
 * Undefined for the whole: no range, several, or one in other units. Empty when it cannot be
 * satisfied.
 */
function rangeOf(header: string | undefined, sizeBytes: number): ByteRange | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "");
  const [, first = "", last = ""] = match ?? [];
  if (match === null || (first === "" && last === "")) return undefined;
  if (first === "") return { start: Math.max(0, sizeBytes - Number(last)), end: sizeBytes };
  if (last !== "" && Number(last) < Number(first)) return undefined;
  const end = last === "" ? sizeBytes : Math.min(sizeBytes, Number(last) + 1);
  return { start: Number(first), end };
}

function streamOf(source: ByteSource, key: string, range: ByteRange): Stream {
  return {
    length: range.end - range.start,
    start(sink) {
      let isGone = false;
      const wake = { run: () => {} };
      sink.drained(() => wake.run());
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
