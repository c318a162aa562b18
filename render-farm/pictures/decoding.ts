import sharp, { type Sharp } from "sharp";
import type { PictureOrder, Raster, Size } from "./orders.ts";

/**
 * Still pictures: reading, resizing, encoding. The only importer of sharp, in the fence.
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

/** A picture's bytes and their description. */
export interface Made {
  readonly bytes?: Buffer;
  readonly said?: { width?: number; height?: number; channels?: number; isBlack?: boolean };
}

type Open = (failOn?: "error" | "warning") => Sharp;

/** Carries out an order. Throws for a picture that cannot be decoded. */
export async function carryOut(order: PictureOrder, body: Uint8Array): Promise<Made> {
  const picture = order.path ?? body;
  const limitInputPixels = order.pixelsMax;
  const open: Open = (failOn = "error") =>
    sharp(picture, { limitInputPixels, failOn, autoOrient: true });
  switch (order.kind) {
    case "inspect":
      return { said: await inspect(open) };
    case "look":
      return { said: { isBlack: await isBlack(open()) } };
    case "png":
      return { bytes: await open().png({ compressionLevel: 1 }).toBuffer() };
    case "thumbnail":
      return { bytes: await thumbnail(open(), order.edge) };
    case "raster":
      return raster(open(), order.edge);
    case "cover":
      return { bytes: await cover(open(), order.size) };
    case "corner":
      return { bytes: await corner(open(), order.size) };
    case "pixels":
      return { bytes: await pixels(open(), order.size) };
    case "still":
      return { bytes: await still(open(), order.size, order.isTransparent) };
    case "encode":
      return { bytes: await encode(body, order.raster, order.format) };
  }
}

/** Returns the size of a picture, after decoding every pixel. */
async function inspect(open: Open): Promise<Size> {
  const { autoOrient } = await open().metadata();
  await decodeWhole(open);
  return { width: autoOrient.width, height: autoOrient.height };
}

/**
 * Decodes the whole picture. A libjpeg warning alone is no fault, because cameras write valid JPEGs
 * that cause some; but a file shorter than its header promises causes only a warning too, and must
 * fail.
 */
async function decodeWhole(open: Open): Promise<void> {
  const decode = (failOn: "error" | "warning") =>
    open(failOn).resize(16, 16, { fit: "fill", fastShrinkOnLoad: false }).raw().toBuffer();
  try {
    await decode("warning");
  } catch (failure) {
    if (failure instanceof Error && /premature end/i.test(failure.message)) throw failure;
    await decode("error");
  }
}

function thumbnail(picture: Sharp, edge: number): Promise<Buffer> {
  return picture
    .flatten({ background: "#ffffff" })
    .resize(edge, edge, { fit: "inside", withoutEnlargement: true })
    .jpeg({ quality: 86 })
    .toBuffer();
}

function cover(picture: Sharp, { width, height }: Size): Promise<Buffer> {
  return picture
    .flatten({ background: "#000000" })
    .resize(width, height, { fit: "cover" })
    .toColorspace("srgb")
    .jpeg({ quality: 95, chromaSubsampling: "4:4:4" })
    .toBuffer();
}

async function raster(picture: Sharp, edge: number): Promise<Made> {
  const { data, info } = await picture
    .resize(edge, edge, { fit: "inside", withoutEnlargement: true })
    .toColorspace("srgb")
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  return { bytes: data, said: { width, height, channels } };
}

function encode(
  pixels: Uint8Array,
  { width, height, channels }: Omit<Raster, "pixels">,
  format: "jpeg" | "png",
): Promise<Buffer> {
  const raw = sharp(pixels, { raw: { width, height, channels: channels as 1 | 2 | 3 | 4 } });
  return format === "png" ? raw.png().toBuffer() : raw.jpeg({ quality: 90 }).toBuffer();
}

async function isBlack(picture: Sharp): Promise<boolean> {
  const { channels } = await picture.flatten().toColorspace("srgb").stats();
  return channels.slice(0, 3).every(({ max }) => max <= 6);
}

function corner(picture: Sharp, { width, height }: Size): Promise<Buffer> {
  const kept = picture.extract({ left: 0, top: 0, width, height }).toColorspace("srgb");
  return kept.ensureAlpha().png({ compressionLevel: 9 }).toBuffer();
}

async function pixels(picture: Sharp, { width, height }: Size): Promise<Buffer> {
  const own = await picture.metadata();
  const [right, bottom] = [width - own.width, height - own.height];
  const image = picture.flatten().toColorspace("srgb").ensureAlpha();
  return image.extend({ right, bottom, extendWith: "copy" }).raw().toBuffer();
}

function still(picture: Sharp, { width, height }: Size, isTransparent: boolean): Promise<Buffer> {
  const kept = picture.resize(width, height, { fit: "fill", kernel: "lanczos3" });
  const plain = isTransparent ? kept.ensureAlpha() : kept.flatten({ background: "#000000" });
  return plain.toColorspace("srgb").png({ compressionLevel: 3 }).toBuffer();
}
