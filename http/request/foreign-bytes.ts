/**
 * The one door for bytes that a library unpacks from foreign input: an archive's entry, a form's
 * part. Such a stream may fail at any moment, also before and after it is read, and an unhandled
 * error ends the process. So its errors are handled from the moment it is handed over, and kept for
 * the reader.
 */
import type { Readable } from "node:stream";

/** Throws the stream's error to the reader; a reader that stops ends the stream. */
export function foreignBytes(stream: Readable): AsyncIterable<Uint8Array> {
  let failure: unknown;
  stream.on("error", (error: unknown) => {
    failure ??= error;
  });
  return {
    async *[Symbol.asyncIterator]() {
      try {
        if (failure !== undefined) throw failure;
        for await (const chunk of stream) yield chunk as Uint8Array;
      } catch (error) {
        throw failure ?? error;
      } finally {
        stream.destroy();
      }
    },
  };
}
