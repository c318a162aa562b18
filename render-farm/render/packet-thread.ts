import { open } from "node:fs/promises";
import { parentPort } from "node:worker_threads";
import {
  CustomSource,
  EncodedPacketSink,
  Input,
  type InputVideoTrack,
  MP4,
  QTFF,
} from "mediabunny";
import type { CodedRun } from "../film-page/plan.ts";

/** In a thread whose memory is bounded: what a file's picture is decoded from. */
export interface PacketOrder {
  readonly serial: number;
  readonly path: string;
  /** Seconds of the file; its last picture whose time is not after. */
  readonly seconds: number;
}

export interface PacketAnswer {
  readonly serial: number;
  /** None where the file cannot be read, or it is for its decoder to say what is shown. */
  readonly found: FoundPackets | undefined;
}

export interface FoundPackets {
  /** As `coded` says. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly coded: CodedRun;
}

parentPort?.on("message", (order: PacketOrder) => void answer(order));

async function answer({ serial, path, seconds }: PacketOrder): Promise<void> {
  const found = await find(path, seconds).catch(() => undefined);
  const reply: PacketAnswer = { serial, found };
  parentPort?.postMessage(reply, found === undefined ? [] : [found.bytes.buffer]);
}

async function find(path: string, seconds: number): Promise<FoundPackets | undefined> {
  const file = await open(path, "r");
  let room = bytesMax;
  const source = new CustomSource({
    getSize: async () => (await file.stat()).size,
    read: async (start, end) => {
      room -= end - start;
      if (room < 0) throw new Error("that is too long for one picture");
      const bytes = new Uint8Array(end - start);
      await file.read(bytes, 0, bytes.length, start);
      return bytes;
    },
    prefetchProfile: "fileSystem",
  });
  const input = new Input({ formats: [MP4, QTFF], source });
  try {
    const [track, other] = await input.getVideoTracks();
    // Which of several is meant is for ffmpeg to say.
    if (track === undefined || other !== undefined) return undefined;
    return await runTo(seconds, track);
  } finally {
    input.dispose();
    await file.close();
  }
}

/** Of a file: its tables, and the packets from a key frame on. */
const bytesMax = 48 * 1024 ** 2;

async function runTo(seconds: number, track: InputVideoTrack): Promise<FoundPackets | undefined> {
  const config = await track.getDecoderConfig();
  const packets = new EncodedPacketSink(track);
  const shown = await packets.getPacket(seconds);
  const key = await packets.getKeyPacket(seconds, { verifyKeyPackets: true });
  const last = await packets.getPacket(Number.POSITIVE_INFINITY, { metadataOnly: true });
  if (config?.description === undefined || shown === null || key === null) return undefined;
  // How long the last one is shown is for ffmpeg to say.
  if (shown.sequenceNumber === last?.sequenceNumber) return undefined;
  const description = bytesOf(config.description);
  const parts = [description];
  const run: CodedRun["packets"][number][] = [];
  const lengthBytes = ((description[4] ?? 0) & 3) + 1;
  for await (const { data, sequenceNumber, microsecondTimestamp: timeUs } of packets.packets(key)) {
    const isShown = sequenceNumber === shown.sequenceNumber;
    if (isShown || isNeeded(data, lengthBytes)) {
      parts.push(data);
      run.push({ length: data.length, timeUs });
    }
    if (isShown) break;
  }
  const coded = {
    codec: config.codec,
    description: description.length,
    packets: run,
    shownUs: shown.microsecondTimestamp,
  };
  return { bytes: joined(parts), coded };
}

function bytesOf(source: AllowSharedBufferSource): Uint8Array {
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
}

/** In memory of its own, which can be handed over. */
function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/**
 * Whether other pictures may refer to an H.264 one, or it brings parameters of others (ITU-T H.264,
 * 7.4.1: `nal_ref_idc` and `nal_unit_type`).
 */
function isNeeded(packet: Uint8Array, lengthBytes: number): boolean {
  const view = Buffer.from(packet.buffer, packet.byteOffset, packet.byteLength);
  for (let at = 0; at + lengthBytes < view.length; ) {
    const header = view.readUInt8(at + lengthBytes);
    const type = header & 31;
    if (type === parameters.sequence || type === parameters.picture) return true;
    if (type >= 1 && type <= lastSlice && (header & 0x60) !== 0) return true;
    at += lengthBytes + view.readUIntBE(at, lengthBytes);
  }
  return false;
}

const parameters = { sequence: 7, picture: 8 };
const lastSlice = 5;
