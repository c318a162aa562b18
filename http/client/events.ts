/** One frame of a `text/event-stream`; `data` is the joined data lines. */
export interface StreamEvent {
  readonly event: string;
  readonly data: string;
}

/** A frame above this is no frame of ours. */
const frameCharsMax = 1_048_576;

/**
 * Reads frames as the HTML standard's event stream does; an unfinished last frame is dropped. A
 * caller that stops reading closes the connection.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const text = rest + decoder.decode(value, { stream: true });
      const frames = text.replaceAll("\r\n", "\n").split("\n\n");
      rest = frames.pop() ?? "";
      if (rest.length > frameCharsMax) throw new RangeError("An event frame is too long.");
      yield* frames.map(parseFrame).filter((event) => event !== undefined);
    }
  } finally {
    await reader.cancel();
  }
}

/** Undefined for a frame without data, such as a comment that keeps the connection alive. */
function parseFrame(frame: string): StreamEvent | undefined {
  let event = "message";
  const data: string[] = [];
  for (const line of frame.split("\n")) {
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "event") event = value;
    if (field === "data") data.push(value);
  }
  return data.length === 0 ? undefined : { event, data: data.join("\n") };
}
