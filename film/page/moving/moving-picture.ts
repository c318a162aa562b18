/// <reference lib="dom" />

/** An animated image (GIF, WebP, APNG, AVIF, SVG), as still pictures by time. */
export interface MovingPicture {
  /** Returns the URL of the picture that is shown `ms` milliseconds after the start. */
  urlAt(ms: number): Promise<string>;
}

const picturesMax = 2_000;

/** Opens a file with several pictures. Throws when it cannot be decoded. */
export async function openPictures(data: ArrayBuffer, type: string): Promise<MovingPicture> {
  const decoder = new ImageDecoder({ data, type });
  await Promise.all([decoder.completed, decoder.tracks.ready]);
  const { frameCount = 0, repetitionCount = 0 } = decoder.tracks.selectedTrack ?? {};
  /** When each picture ends, in milliseconds from the start of a round. */
  const ends: number[] = [];
  for (let frameIndex = 0; frameIndex < Math.min(frameCount, picturesMax); frameIndex++) {
    const { image } = await decoder.decode({ frameIndex });
    ends.push((ends.at(-1) ?? 0) + Math.max(1, (image.duration ?? 100_000) / 1_000));
    image.close();
  }
  const urls = new Map<number, string>();
  return {
    async urlAt(ms) {
      const at = pictureAt(ends, repetitionCount + 1, ms);
      const url = urls.get(at) ?? (await drawPicture(decoder, at));
      urls.set(at, url);
      return url;
    },
  };
}

/** Adds a tiny margin, so that a picture which begins exactly with a frame is in that frame. */
function pictureAt(ends: readonly number[], rounds: number, ms: number): number {
  const round = ends.at(-1) ?? 0;
  if (round === 0) return 0;
  if (ms + hairMs >= round * rounds) return ends.length - 1;
  const own = (ms + hairMs) % round;
  return Math.max(
    0,
    ends.findIndex((end) => own < end),
  );
}

const hairMs = 0.01;

async function drawPicture(decoder: ImageDecoder, frameIndex: number): Promise<string> {
  const { image } = await decoder.decode({ frameIndex });
  const canvas = document.createElement("canvas");
  canvas.width = image.displayWidth;
  canvas.height = image.displayHeight;
  canvas.getContext("2d", { willReadFrequently: true })?.drawImage(image, 0, 0);
  image.close();
  // Not `toBlob`, which waits for the browser to be idle, for up to a second.
  const [, coded = ""] = canvas.toDataURL("image/png").split(",");
  const bytes = Uint8Array.from(atob(coded), (letter) => letter.charCodeAt(0));
  return URL.createObjectURL(new Blob([bytes], { type: "image/png" }));
}

/** Detects a file's type by its first bytes, whatever its name says. */
export function typeByBytes(data: ArrayBuffer): string {
  const head = String.fromCharCode(...new Uint8Array(data, 0, Math.min(16, data.byteLength)));
  if (head.startsWith("GIF8")) return "image/gif";
  if (head.startsWith("RIFF")) return "image/webp";
  if (head.startsWith("\x89PNG")) return "image/png";
  return head.slice(4, 8) === "ftyp" ? "image/avif" : "image/svg+xml";
}
