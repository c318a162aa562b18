/// <reference lib="dom" />
import { even } from "../../timeline/model.ts";
import type { CodedRun, ExchangeAnswer, ExchangeOrder, PicturePlace } from "./plan.ts";
import { loadPlanar, type Planar } from "./planar/planar.ts";

/**
 * Runs on a thread beside a page. Frames go out as planes and pictures of videos come in through
 * one file in the browser's own file system that the farm opens too: the browser's protocol would
 * carry them as text.
 */
interface ExchangeHandle {
  read(bytes: Uint8Array, place: { at: number }): number;
  write(bytes: Uint8Array, place: { at: number }): number;
}

interface ExchangeEntry {
  createSyncAccessHandle(): Promise<ExchangeHandle>;
}

interface Exchange {
  readonly handle: ExchangeHandle;
  /** Bytes per row of pixels. */
  readonly stride: number;
  readonly planar: Planar;
  /** Index of the place to write next: frames alternate between the file's first two places. */
  turn: number;
}

let exchange: Exchange | undefined;
let scratch = new Uint8Array();

addEventListener("message", ({ ports: [port] }: MessageEvent) => {
  if (port === undefined) return;
  let last: Promise<unknown> = Promise.resolve();
  port.onmessage = ({ data }: MessageEvent<{ serial: number; order: ExchangeOrder }>) => {
    const { serial, order } = data;
    last = last
      .then(() => obey(order))
      .then(
        (result) => port.postMessage({ serial, result }, result === null ? [] : [result]),
        (fault: unknown) => port.postMessage({ serial, fault: String(fault) }),
      );
  };
});

async function obey(order: ExchangeOrder): Promise<ExchangeAnswer> {
  if (order.kind === "open") return open(order);
  if (exchange === undefined) throw new Error("the exchange is not open");
  if (order.kind === "picture") return pictureAt(order, exchange);
  await convert(order.frame, exchange);
  const { handle, planar, turn } = exchange;
  handle.write(planar.planes, { at: turn * planar.planes.length });
  exchange.turn = 1 - turn;
  return null;
}

async function open({
  mark,
  width,
  height,
  converter,
}: Extract<ExchangeOrder, { kind: "open" }>): Promise<null> {
  const folder = await navigator.storage.getDirectory();
  const entry = await folder.getFileHandle(mark, { create: true });
  if (!canBeOpened(entry)) throw new Error("this browser has no file of its own");
  const handle = await entry.createSyncAccessHandle();
  handle.write(new TextEncoder().encode(mark), { at: 0 });
  const planar = await loadPlanar(converter, width, height);
  exchange = { handle, stride: width * 4, planar, turn: 0 };
  return null;
}

function canBeOpened(entry: object): entry is ExchangeEntry {
  return "createSyncAccessHandle" in entry;
}

async function convert(frame: VideoFrame, { planar, stride }: Exchange): Promise<void> {
  await frame.copyTo(planar.pixels, { layout: [{ offset: 0, stride }] });
  frame.close();
  planar.convert();
}

type PictureOrder = Extract<ExchangeOrder, { kind: "picture" }>;

const colors = {
  matrix: "bt709",
  primaries: "bt709",
  transfer: "bt709",
  fullRange: false,
} as const;

async function pictureAt(
  { place, room }: PictureOrder,
  { handle }: Exchange,
): Promise<ArrayBuffer> {
  const { at, width, height, hasAlpha, coded } = place;
  const [codedWidth, codedHeight] = [even(width), even(height)];
  const length = codedWidth * codedHeight * (hasAlpha ? 2.5 : 1.5);
  // Reused, because a frame copies its bytes, and discarded arrays stay in memory for long.
  if (scratch.length < length) scratch = new Uint8Array(length);
  const bytes = scratch.subarray(0, length);
  if (coded === undefined) handle.read(bytes, { at });
  else await decode(coded, place, handle, bytes);
  const picture = new VideoFrame(bytes, {
    format: hasAlpha ? "I420A" : "I420",
    codedWidth,
    codedHeight,
    visibleRect: { x: 0, y: 0, width, height },
    timestamp: 0,
    colorSpace: colors,
  });
  const pixels = room ?? new ArrayBuffer(width * height * 4);
  await picture.copyTo(pixels, { format: "RGBA" });
  picture.close();
  return pixels;
}

/** Decodes a run of packets into the planes of its picture. */
async function decode(
  { codec, description, packets, shownUs }: CodedRun,
  { at, width, height }: PicturePlace,
  handle: ExchangeHandle,
  planes: Uint8Array,
): Promise<void> {
  let end = at;
  const next = (length: number): Uint8Array => {
    const bytes = new Uint8Array(length);
    end += handle.read(bytes, { at: end });
    return bytes;
  };
  let shown: VideoFrame | undefined;
  const decoder = new VideoDecoder({
    output(frame) {
      if (frame.timestamp === shownUs) shown = frame;
      else frame.close();
    },
    // The error is thrown where the end of decoding is awaited.
    error: () => undefined,
  });
  try {
    decoder.configure({ codec, description: next(description) });
    packets.forEach(({ length, timeUs }, index) => {
      const type = index === 0 ? "key" : "delta";
      decoder.decode(new EncodedVideoChunk({ type, timestamp: timeUs, data: next(length) }));
    });
    await decoder.flush();
    if (shown?.format !== "I420") throw new Error("there is no such picture");
    const { width: shownWidth, height: shownHeight } = shown.visibleRect ?? {};
    if (shownWidth !== width || shownHeight !== height) throw new Error("its size is another");
    await shown.copyTo(planes);
  } finally {
    shown?.close();
    if (decoder.state !== "closed") decoder.close();
  }
}
