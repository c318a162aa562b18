/**
 * One end of an ordered stream of messages over datagrams that may get lost, or come twice. A
 * message goes out in pieces; what the other end has not acknowledged is kept and sent again, so
 * both ends may be apart for as long as the bounds allow.
 *
 * 1. Pieces are numbered from 1 and handed on in their order, each once.
 * 2. What waits for an acknowledgement, and a message that is coming, are bounded; past that the
 *    link is broken for good.
 */
import { limits } from "../../../config/limits.ts";

export interface Piece {
  /** Sequence number, or 0 for a piece that only acknowledges. */
  readonly seq: number;
  /** Number up to which all pieces have arrived. */
  readonly ack: number;
  readonly isLast: boolean;
  readonly bytes: Uint8Array;
}

export interface LinkPorts {
  /** Sends a piece, which may be lost. */
  publish(piece: Piece): void;
  receive(message: Uint8Array): void;
  /** Called when a message or the backlog exceeds its bounds. */
  fail(reason: string): void;
}

/** Maximum bytes of a piece: below the maximum message of NATS, 1 MB, with all headers. */
const pieceBytes = 256 * 1024;
/** Bytes that are repeated at once; more follow when these were acknowledged. */
const repeatBytes = 4 * 1024 ** 2;
const nothing = new Uint8Array();

type Kept = Omit<Piece, "ack">;

export class FrameLink {
  private readonly ports: LinkPorts;
  private readonly kept: Kept[] = [];
  private keptBytes = 0;
  private sent = 0;
  private heard = 0;
  private arriving: Uint8Array[] = [];
  private arrivingBytes = 0;
  private owesAck = false;
  /** Number of the first unacknowledged piece at the last tick. */
  private stuckAt = 0;

  constructor(ports: LinkPorts) {
    this.ports = ports;
  }

  /** Whether the other end has received everything that was sent. */
  get hasArrived(): boolean {
    return this.kept.length === 0;
  }

  send(message: Uint8Array): void {
    const { messageBytesMax, unheardBytesMax } = limits.farm;
    this.keptBytes += message.length;
    if (message.length > messageBytesMax || this.keptBytes > unheardBytesMax) {
      this.ports.fail("more bytes are waiting than the other end may be sent");
      return;
    }
    for (let from = 0; from === 0 || from < message.length; from += pieceBytes) {
      const bytes = message.subarray(from, from + pieceBytes);
      const isLast = from + pieceBytes >= message.length;
      const piece = { seq: ++this.sent, isLast, bytes };
      this.kept.push(piece);
      this.publish(piece);
    }
  }

  handle({ seq, ack, isLast, bytes }: Piece): void {
    while ((this.kept[0]?.seq ?? Number.POSITIVE_INFINITY) <= ack)
      this.keptBytes -= this.kept.shift()?.bytes.length ?? 0;
    if (seq === 0) return;
    this.acknowledgeSoon();
    if (seq !== this.heard + 1) return;
    this.heard = seq;
    this.arriving.push(bytes);
    this.arrivingBytes += bytes.length;
    if (this.arrivingBytes > limits.farm.messageBytesMax) {
      this.ports.fail("a message is too large");
      return;
    }
    if (!isLast) return;
    const message = Buffer.concat(this.arriving);
    this.arriving = [];
    this.arrivingBytes = 0;
    this.ports.receive(message);
  }

  /** Called regularly: sends a sign of life, or repeats pieces that are still unacknowledged. */
  tick(): void {
    const first = this.kept[0]?.seq ?? 0;
    if (first !== 0 && first === this.stuckAt) this.repeat();
    else this.publish({ seq: 0, isLast: true, bytes: nothing });
    this.stuckAt = first;
  }

  /** Repeats unacknowledged pieces, also when a lost connection is restored. */
  repeat(): void {
    let left = repeatBytes;
    for (const piece of this.kept) {
      this.publish(piece);
      left -= piece.bytes.length;
      if (left < 0) return;
    }
  }

  private publish(piece: Kept): void {
    this.owesAck = false;
    this.ports.publish({ ...piece, ack: this.heard });
  }

  /** Sends one acknowledgement for all pieces of a tick, unless a piece is sent meanwhile. */
  private acknowledgeSoon(): void {
    if (this.owesAck) return;
    this.owesAck = true;
    setImmediate(() => {
      if (this.owesAck) this.publish({ seq: 0, isLast: true, bytes: nothing });
    });
  }
}
