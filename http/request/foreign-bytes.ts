/**
 * The one door for bytes that a library unpacks from what came from outside: an archive's entry, a
 * form's part. Such a stream may fail at any moment, also before anybody reads it and after nobody
 * does any more, and an error that nobody listens for ends the process. So it is listened to from
 * the moment in which it is handed over, and its error waits for the reader.
 */
import type { Readable } from "node:stream";

/** Throws the stream's error where it is read; whoever stops reading ends the stream. */
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
