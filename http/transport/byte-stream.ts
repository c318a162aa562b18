import type { Stream } from "../exchange/answer.ts";

const pieceBytes = 256 * 1024;

/** Sends bytes from memory as an answer's body, no faster than the client reads. */
export function bytesInPieces(bytes: Uint8Array): Stream {
  return {
    length: bytes.length,
    start(sink) {
      let at = 0;
      let isGone = false;
      const go = (): void => {
        while (!isGone && at < bytes.length) {
          const piece = bytes.subarray(at, at + pieceBytes);
          at += piece.length;
          if (!sink.write(piece)) return;
        }
        if (!isGone) sink.end();
        isGone = true;
      };
      sink.onDrain(go);
      go();
      return () => {
        isGone = true;
      };
    },
  };
}
