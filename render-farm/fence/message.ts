/** Messages between the farm and a script in the fence: a JSON head and a body of raw bytes. */
export interface Message {
  readonly head: unknown;
  readonly body: Buffer;
}

/** Frame header: the lengths of head and body, 32 bits each, little-endian; then both. */
const lengthsBytes = 8;
const headBytesMax = 64 * 1024;
const none = new Uint8Array();

export function encode(head: unknown, body: Uint8Array = none): Buffer[] {
  const text = Buffer.from(JSON.stringify(head));
  const lengths = Buffer.alloc(lengthsBytes);
  lengths.writeUInt32LE(text.length, 0);
  lengths.writeUInt32LE(body.length, 4);
  return [lengths, text, Buffer.from(body.buffer, body.byteOffset, body.byteLength)];
}

/** Yields messages until the stream ends. Throws for malformed or oversized ones. */
export async function* messagesIn(
  stream: AsyncIterable<Buffer>,
  bodyBytesMax: number,
): AsyncGenerator<Message> {
  const bytes = new Bytes(stream);
  for (;;) {
    const lengths = await bytes.take(lengthsBytes);
    if (lengths === undefined) return;
    const [headLength, bodyLength] = [lengths.readUInt32LE(0), lengths.readUInt32LE(4)];
    if (headLength > headBytesMax || bodyLength > bodyBytesMax) throw new Error("too long");
    const head = await bytes.take(headLength);
    const body = await bytes.take(bodyLength);
    if (head === undefined || body === undefined) return;
    yield { head: JSON.parse(head.toString()), body };
  }
}

class Bytes {
  private readonly chunks: AsyncIterator<Buffer>;
  private rest: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Buffer>) {
    this.chunks = stream[Symbol.asyncIterator]();
  }

  /** Returns the next `length` bytes, or `undefined` when the stream ends first. */
  async take(length: number): Promise<Buffer | undefined> {
    const taken = Buffer.allocUnsafeSlow(length);
    for (let at = 0; at < length; ) {
      if (this.rest.length === 0) {
        const next = await this.chunks.next();
        if (next.done === true) return undefined;
        this.rest = next.value;
      }
      const copied = this.rest.copy(taken, at);
      this.rest = this.rest.subarray(copied);
      at += copied;
    }
    return taken;
  }
}
