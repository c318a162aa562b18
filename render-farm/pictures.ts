import sharp, { type Sharp } from "sharp";
import { limits } from "../config/limits.ts";
import { PortError } from "../engine/ports/port-error.ts";

/**
 * Still pictures: reading, resizing, encoding. The only importer of sharp.
 *
 * 1. Only the four accepted formats are read, whatever else the library knows (SVG, PDF, TIFF).
 * 2. A picture is turned upright first; sizes are those of the upright picture.
 */
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: [
    "VipsForeignLoadJpeg",
    "VipsForeignLoadPng",
    "VipsForeignLoadWebp",
    "VipsForeignLoadNsgif",
  ],
});
sharp.cache(false);
sharp.concurrency(1);

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Interleaved bytes, rows from the top. */
export interface Raster extends Size {
  readonly channels: number;
  readonly pixels: Uint8Array;
}

/** A file or its bytes. */
function open(picture: string | Buffer, failOn: "error" | "warning" = "error"): Sharp {
  return sharp(picture, { limitInputPixels: limits.media.pixelsMax, failOn, autoOrient: true });
}

/** The size, after every pixel was decoded. Throws `PortError` when that fails. */
export async function inspectPicture(path: string): Promise<Size> {
  return decoding(async () => {
    const { autoOrient } = await open(path).metadata();
    await decodeWhole(path);
    return { width: autoOrient.width, height: autoOrient.height };
  });
}

/**
 * Cameras write JPEGs of which libjpeg warns and which are right all the same; but a header that
 * promises more than there is gives no more than a warning either.
 */
async function decodeWhole(path: string): Promise<void> {
  const decode = (failOn: "error" | "warning") =>
    open(path, failOn).resize(16, 16, { fit: "fill", fastShrinkOnLoad: false }).raw().toBuffer();
  try {
    await decode("warning");
  } catch (failure) {
    if (failure instanceof Error && /premature end/i.test(failure.message)) throw failure;
    await decode("error");
  }
}

/** A JPEG with a long edge of 512 at most; transparent parts on white. */
export async function thumbnailOf(picture: string | Buffer): Promise<Buffer> {
  const edge = limits.media.thumbnailEdge;
  return decoding(() =>
    open(picture)
      .flatten({ background: "#ffffff" })
      .resize(edge, edge, { fit: "inside", withoutEnlargement: true })
      .jpeg({ quality: 86 })
      .toBuffer(),
  );
}

/** The middle of the picture at exactly this size, as a JPEG without visible loss. */
export async function coveringJpeg(path: string, { width, height }: Size): Promise<Buffer> {
  return decoding(() =>
    open(path)
      .flatten({ background: "#000000" })
      .resize(width, height, { fit: "cover" })
      .toColorspace("srgb")
      .jpeg({ quality: 95, chromaSubsampling: "4:4:4" })
      .toBuffer(),
  );
}

/** RGBA pixels, at most `edge` long, never enlarged. */
export async function rasterOf(path: string, edge: number): Promise<Raster> {
  return decoding(async () => {
    const { data, info } = await open(path)
      .resize(edge, edge, { fit: "inside", withoutEnlargement: true })
      .toColorspace("srgb")
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height, channels: info.channels, pixels: data };
  });
}

export async function encodeRaster(
  { pixels, width, height, channels }: Raster,
  format: "jpeg" | "png",
): Promise<Buffer> {
  const raw = sharp(pixels, { raw: { width, height, channels: channels as 1 | 2 | 3 | 4 } });
  return format === "png" ? raw.png().toBuffer() : raw.jpeg({ quality: 90 }).toBuffer();
}

async function decoding<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (failure) {
    throw new PortError(
      "The picture cannot be decoded; it is damaged or too large.",
      false,
      failure,
    );
  }
}

/** Whether nothing in the picture is lighter than black by more than a trace. */
export async function isBlack(picture: Buffer): Promise<boolean> {
  const { channels } = await decoding(() => sharp(picture).flatten().toColorspace("srgb").stats());
  return channels.slice(0, 3).every(({ max }) => max <= 6);
}

/** RGBA pixels of a picture, made larger by pixels like its last ones. */
export async function pixelsOf(picture: Buffer, { width, height }: Size): Promise<Buffer> {
  return decoding(async () => {
    const image = sharp(picture).flatten().toColorspace("srgb").ensureAlpha();
    const own = await sharp(picture).metadata();
    const [right, bottom] = [width - own.width, height - own.height];
    return image.extend({ right, bottom, extendWith: "copy" }).raw().toBuffer();
  });
}

/** An upright PNG of any accepted picture. */
export async function uprightPng(picture: Buffer): Promise<Buffer> {
  const options = { limitInputPixels: limits.media.pixelsMax, autoOrient: true };
  return decoding(() => sharp(picture, options).png({ compressionLevel: 1 }).toBuffer());
}

/**
 * A still as it is handed out: a PNG of 8 bits, with alpha only when it is transparent. One that is
 * so already stays as it is: to encode it anew takes longer than to paint it.
 */
export async function finishedStill(
  picture: Buffer,
  { width, height }: Size,
  isTransparent: boolean,
): Promise<Buffer> {
  const own = await decoding(() => sharp(picture).metadata());
  const isFinished =
    own.format === "png" &&
    own.depth === "uchar" &&
    own.space === "srgb" &&
    own.hasAlpha === isTransparent &&
    own.width === width &&
    own.height === height;
  if (isFinished) return picture;
  const kept = sharp(picture).resize(width, height, { fit: "fill", kernel: "lanczos3" });
  const plain = isTransparent ? kept.ensureAlpha() : kept.flatten({ background: "#000000" });
  return decoding(() => plain.toColorspace("srgb").png({ compressionLevel: 3 }).toBuffer());
}
