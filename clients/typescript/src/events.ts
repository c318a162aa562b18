/** Reads a `text/event-stream` as the HTML standard specifies. */

/** One frame of an event stream; `data` is its data lines, joined. */
export interface StreamEvent {
  readonly event: string;
  readonly data: string;
}

const bounds = {
  /** Maximum length of a frame, in characters; the service sends none that is longer. */
  frameCharsMax: 1_048_576,
  /** The service sends something every 15 s; a connection that is silent for longer is dead. */
  silenceMs: 45_000,
} as const;

/** Drops an unfinished last frame. A caller that stops reading closes the connection. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await readInTime(reader);
      if (done) return;
      const text = rest + decoder.decode(value, { stream: true });
      const frames = text.replaceAll("\r\n", "\n").split("\n\n");
      rest = frames.pop() ?? "";
      if (rest.length > bounds.frameCharsMax)
        throw new RangeError("An event of the stream is too long.");
      yield* frames.map(parseFrame).filter((event) => event !== undefined);
    }
  } finally {
    // A connection that is already broken cannot be closed cleanly.
    await reader.cancel().catch(() => undefined);
  }
}

async function readInTime(reader: ReadableStreamDefaultReader<Uint8Array>) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error("The stream sent nothing for too long.")),
      bounds.silenceMs,
    );
  });
  try {
    return await Promise.race([reader.read(), silence]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns undefined for a frame without data, such as a keep-alive comment. */
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
