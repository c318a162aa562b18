/// <reference lib="dom" />
import { openPictureShot, type PictureShotRequest } from "./picture-shot.ts";
import { openShot, type Shot } from "./shot.ts";

/** Entry point of the page: one film at a time, frame by frame. */
export type FilmRequest = PictureShotRequest;

let shot: Shot | undefined;

export async function open(request: FilmRequest): Promise<void> {
  const isOfPictures = request.firstFrame !== undefined || request.lastFrame !== undefined;
  shot = isOfPictures ? await openPictureShot(request) : openShot(request);
}

/**
 * Returns a JPEG in base64 with hardly any compression. Sending raw pixels out of the page would
 * cost more than painting them.
 */
export async function frame(index: number): Promise<string> {
  if (shot === undefined) throw new Error("no film is open");
  const { canvas } = shot.frame(index);
  const blob = await canvas.convertToBlob({ type: "image/jpeg", quality: 0.96 });
  return encodeBase64(new Uint8Array(await blob.arrayBuffer()));
}

/** Ends the film and releases its paintings. */
export function close(): void {
  shot = undefined;
}

interface Base64Bytes {
  toBase64(): string;
}

/** The browser's own encoder is some ten times faster; old ones lack it. */
function encodeBase64(bytes: Uint8Array): string {
  if (hasBase64(bytes)) return bytes.toBase64();
  let text = "";
  for (let at = 0; at < bytes.length; at += 32_768)
    text += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  return btoa(text);
}

function hasBase64(bytes: Uint8Array): bytes is Uint8Array & Base64Bytes {
  return "toBase64" in bytes;
}
