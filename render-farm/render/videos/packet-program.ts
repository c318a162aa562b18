import {
  CustomSource,
  EncodedPacketSink,
  Input,
  type InputVideoTrack,
  MP4,
  QTFF,
} from "mediabunny";
import { limits } from "../../../config/limits.ts";
import type { CodedRun } from "../../../film/page/plan.ts";
import { encode, messagesIn } from "../../fence/message.ts";

/**
 * The program in the fence that finds the packets of a picture. It opens no file, but asks the farm
 * for the bytes that it needs.
 */
export interface PacketOrder {
  readonly sizeBytes: number;
  /** Time in seconds; the wanted picture is the last one that is not later. */
  readonly seconds: number;
}

/** A range of the file; its bytes are the answer. */
export interface PacketQuestion {
  readonly start: number;
  readonly end: number;
}

/** Packets as `coded` describes them; none if the file is unreadable or its decoder must tell. */
interface FoundPackets {
  readonly bytes: Buffer;
  readonly coded: CodedRun;
}

const messages = messagesIn(process.stdin, Number.MAX_SAFE_INTEGER);
function say(head: object, body?: Uint8Array): void {
  for (const part of encode(head, body)) process.stdout.write(part);
}

/** Asks for a range of the file; questions are answered in their order. */
async function read(start: number, end: number): Promise<Uint8Array> {
  const question: PacketQuestion = { start, end };
  say({ question });
  const { value } = await messages.next();
  if (value === undefined) throw new Error("nobody answers");
  return value.body;
}

async function find({ sizeBytes, seconds }: PacketOrder): Promise<FoundPackets | undefined> {
  let room = limits.media.packetTableBytesMax;
  const source = new CustomSource({
    getSize: () => sizeBytes,
    read: async (start, end) => {
      room -= end - start;
      if (room < 0) throw new Error("that is too long for one picture");
      return read(start, end);
    },
    prefetchProfile: "fileSystem",
  });
  const input = new Input({ formats: [MP4, QTFF], source });
  try {
    const [track, other] = await input.getVideoTracks();
    // With several tracks, ffmpeg must choose which one is shown.
    if (track === undefined || other !== undefined) return undefined;
    return await runTo(seconds, track);
  } finally {
    input.dispose();
  }
}

async function runTo(seconds: number, track: InputVideoTrack): Promise<FoundPackets | undefined> {
  const config = await track.getDecoderConfig();
  const packets = new EncodedPacketSink(track);
  const shown = await packets.getPacket(seconds);
  const key = await packets.getKeyPacket(seconds, { verifyKeyPackets: true });
  const last = await packets.getPacket(Number.POSITIVE_INFINITY, { metadataOnly: true });
  if (config?.description === undefined || shown === null || key === null) return undefined;
  // Only ffmpeg decides how long the last picture is shown.
  if (shown.sequenceNumber === last?.sequenceNumber) return undefined;
  const description = getBytes(config.description);
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
  return { bytes: Buffer.concat(parts), coded };
}

function getBytes(source: AllowSharedBufferSource): Uint8Array {
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
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

for (let next = await messages.next(); next.done !== true; next = await messages.next()) {
  const { order } = next.value.head as { readonly order: PacketOrder };
  const found = await find(order).catch(() => undefined);
  say({ coded: found?.coded }, found?.bytes);
}
