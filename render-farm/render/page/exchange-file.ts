import { constants } from "node:fs";
import { type FileHandle, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { PicturePlace } from "../../../film/page/plan.ts";
import { openMade } from "../../fence/own-folders.ts";
import { RenderError } from "../render-error.ts";
import type { CodedPicture } from "../videos/coded-pictures.ts";
import type { VideoLook } from "../videos/video-decoding.ts";
import { planesLength, type VideoPicture } from "../videos/video-frames.ts";

/**
 * The farm's end of a page's exchange: the file begins with two alternating slots for frames,
 * followed by pictures of videos, with three slots for each clip.
 */
export class ExchangeFile {
  private readonly file: FileHandle;
  private readonly frameBytes: number;
  private readonly frames: Buffer[] = [];
  private readonly placesByKey = new Map<string, Places>();
  private turn = 0;
  private end: number;

  private constructor(file: FileHandle, frameBytes: number) {
    this.file = file;
    this.frameBytes = frameBytes;
    this.end = Math.max(2 * frameBytes, headBytes);
  }

  /** Opens the file in which the page wrote `mark`, because only the browser knows its name. */
  static async open(profile: string, mark: string, frameBytes: number): Promise<ExchangeFile> {
    const root = join(profile, "Default", "File System");
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((one) => one.isFile())) {
      const file = await openMade(join(entry.parentPath, entry.name), constants.O_RDWR);
      const head = Buffer.alloc(mark.length);
      await file.read(head, 0, head.length, 0);
      if (head.toString("latin1") === mark) return new ExchangeFile(file, frameBytes);
      await file.close();
    }
    throw new RenderError("internal", "the browser's own file system was not found", true);
  }

  /** Planes (I420) of the next frame from the page; valid until the second frame after it. */
  async frame(): Promise<Buffer> {
    const turn = this.turn;
    this.turn = 1 - turn;
    const bytes = this.frames[turn] ?? Buffer.allocUnsafeSlow(this.frameBytes);
    this.frames[turn] = bytes;
    const { bytesRead } = await this.file.read(bytes, 0, bytes.length, turn * bytes.length);
    if (bytesRead < bytes.length) throw new RenderError("internal", "a frame is incomplete", true);
    return bytes;
  }

  /**
   * Writes a video's picture and returns its place for the page. Planes stay valid until the third
   * picture after them is written, and coded pictures as long as the file exists.
   */
  async write(key: string, picture: VideoPicture | CodedPicture): Promise<PicturePlace> {
    if ("coded" in picture) return this.append(picture);
    const { planes, ...look } = picture;
    const places = this.placesByKey.get(key) ?? this.make(look);
    const [first, second, third] = places;
    this.placesByKey.set(key, [second, third, first]);
    await this.file.write(planes, 0, planes.length, first.at);
    return first;
  }

  private async append({ bytes, ...coded }: CodedPicture): Promise<PicturePlace> {
    const at = this.end;
    this.end += bytes.length;
    await this.file.write(bytes, 0, bytes.length, at);
    return { at, ...coded };
  }

  private make(look: VideoLook): Places {
    const place = (): PicturePlace => {
      const at = this.end;
      this.end += planesLength(look);
      return { at, ...look };
    };
    return [place(), place(), place()];
  }

  async close(): Promise<void> {
    await this.file.close();
  }
}

type Places = readonly [PicturePlace, PicturePlace, PicturePlace];

/** Bytes reserved for the mark, more than any mark needs. */
const headBytes = 64;
