import { limits } from "../../config/limits.ts";
import { check } from "../../config/schema.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type { Bounds } from "../fence/fence.ts";
import { FencedScript } from "../fence/script.ts";
import { PictureAnswer, type PictureOrder, type Raster, type Size } from "./orders.ts";

const isPictureAnswer = check<PictureAnswer>(PictureAnswer);

/** Bounds of a program that reads pictures. */
export const pictureBounds: Bounds = {
  bytes: limits.media.pictureProgramBytesMax,
  fileBytes: 0,
  files: limits.media.toolFilesMax,
};

/** A picture: path of a file that the program may read, or the bytes themselves. */
type Picture = string | Uint8Array;

/** An order without the members that are common to all orders. */
type Wanted = PictureOrder extends infer Order
  ? Order extends PictureOrder
    ? Omit<Order, "path" | "pixelsMax">
    : never
  : never;

/**
 * Still pictures, read and made by a program in the fence. Each throws `PortError` for a picture
 * that cannot be decoded. Sizes are those of the upright picture.
 */
export class Pictures {
  private readonly script: FencedScript;

  constructor(words: readonly string[]) {
    this.script = new FencedScript(words);
  }

  /** Starts the program ahead of time, which takes a tenth of a second. */
  start(): void {
    this.script.start();
  }

  close(): Promise<void> {
    return this.script.close();
  }

  /** Returns the size of a picture, after decoding every pixel. */
  async inspect(picture: Picture): Promise<Size> {
    const { width, height } = (await this.do({ kind: "inspect" }, picture)).said;
    if (width === undefined || height === undefined) throw undecodable();
    return { width, height };
  }

  /** Returns a JPEG with a long edge of at most 512 pixels; transparent parts become white. */
  async thumbnail(picture: Picture): Promise<Buffer> {
    const { thumbnailEdge: edge } = limits.media;
    return (await this.do({ kind: "thumbnail", edge }, picture)).bytes;
  }

  /** Returns the middle of the picture at exactly this size, as a visually lossless JPEG. */
  async cover(picture: Picture, size: Size): Promise<Buffer> {
    return (await this.do({ kind: "cover", size }, picture)).bytes;
  }

  /** Returns RGBA pixels, scaled down to a long edge of `edge` but never enlarged. */
  async raster(picture: Picture, edge: number): Promise<Raster> {
    const { said, bytes: pixels } = await this.do({ kind: "raster", edge }, picture);
    const { width = 0, height = 0, channels = 0 } = said;
    if (pixels.length !== width * height * channels) throw undecodable();
    return { width, height, channels, pixels };
  }

  async encode({ pixels, ...raster }: Raster, format: "jpeg" | "png"): Promise<Buffer> {
    return (await this.do({ kind: "encode", raster, format }, pixels)).bytes;
  }

  /** Whether no pixel of the picture is noticeably lighter than black. */
  async isBlack(picture: Picture): Promise<boolean> {
    return (await this.do({ kind: "look" }, picture)).said.isBlack === true;
  }

  /** Returns RGBA pixels at the given size; missing ones repeat the picture's last pixels. */
  async pixels(picture: Picture, size: Size): Promise<Buffer> {
    const { bytes } = await this.do({ kind: "pixels", size }, picture);
    if (bytes.length !== size.width * size.height * 4) throw undecodable();
    return bytes;
  }

  /** Returns the upper left corner of the given size, as a PNG with alpha. */
  async corner(picture: Picture, size: Size): Promise<Buffer> {
    return (await this.do({ kind: "corner", size }, picture)).bytes;
  }

  /** Converts any accepted picture to an upright PNG. */
  async png(picture: Picture): Promise<Buffer> {
    return (await this.do({ kind: "png" }, picture)).bytes;
  }

  /**
   * Returns a still as it is delivered: a PNG of 8 bits, with alpha only when it is transparent. A
   * picture that already has this form is returned as it is, because encoding takes longer than
   * painting.
   */
  async still(picture: Buffer, size: Size, isTransparent: boolean): Promise<Buffer> {
    if (isFinished(picture, size, isTransparent)) return picture;
    return (await this.do({ kind: "still", size, isTransparent }, picture)).bytes;
  }

  private async do(wanted: Wanted, picture: Picture) {
    const place = typeof picture === "string" ? { path: picture } : {};
    const order: PictureOrder = { ...wanted, ...place, pixelsMax: limits.media.pixelsMax };
    const { head, body } = await this.script.carryOut({
      head: order,
      ...(typeof picture !== "string" && { body: picture }),
      timeoutMs: limits.media.toolMs,
    });
    if (!isPictureAnswer(head) || !head.isDecoded) throw undecodable();
    return { said: head, bytes: body };
  }
}

function undecodable(): PortError {
  return new PortError("The picture cannot be decoded; it is damaged or too large.", false);
}

/** Compares the fields of the first chunk (PNG, "11.2.1 IHDR Image header"). */
function isFinished(picture: Buffer, { width, height }: Size, isTransparent: boolean): boolean {
  if (picture.length < 26 || picture.toString("latin1", 1, 4) !== "PNG") return false;
  const [depth, colours] = [picture.readUInt8(24), picture.readUInt8(25)];
  const isSize = picture.readUInt32BE(16) === width && picture.readUInt32BE(20) === height;
  return isSize && depth === 8 && colours === (isTransparent ? withAlpha : withoutAlpha);
}

/** Colour types of PNG: truecolour without and with alpha. */
const [withoutAlpha, withAlpha] = [2, 6];
