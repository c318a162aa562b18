import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

export interface RawReply {
  readonly status: number;
  readonly head: string;
  readonly body: Buffer;
}

/** A connection on which a test writes arbitrary bytes and reads answers one by one. */
export class RawConnection {
  readonly socket: Socket;
  readonly whenClosed: Promise<void>;
  private received = Buffer.alloc(0);
  private isClosed = false;
  private wake = () => {};

  constructor(port: number) {
    this.socket = connect(port, "127.0.0.1");
    this.socket.on("error", () => {});
    this.socket.on("data", (chunk: Buffer) => {
      this.received = Buffer.concat([this.received, chunk]);
      this.wake();
    });
    this.whenClosed = new Promise((resolve) => {
      this.socket.once("close", () => {
        this.isClosed = true;
        this.wake();
        resolve();
      });
    });
  }

  write(bytes: string | Uint8Array): void {
    this.socket.write(bytes);
  }

  /** Reads the next answer; a body without a length ends when the connection closes. */
  async reply(isHead = false): Promise<RawReply> {
    const end = await this.until(() => this.received.indexOf("\r\n\r\n"));
    const head = this.received.subarray(0, end).toString("latin1");
    this.received = this.received.subarray(end + 4);
    const length = /^content-length: (\d+)/im.exec(head)?.[1];
    const status = Number(head.split(" ")[1]);
    if (isHead || status === 304) return { status, head, body: Buffer.alloc(0) };
    if (length === undefined) await this.whenClosed;
    const bytes = length === undefined ? this.received.length : Number(length);
    await this.until(() => (this.received.length >= bytes ? bytes : -1));
    const body = Buffer.from(this.received.subarray(0, bytes));
    this.received = this.received.subarray(bytes);
    return { status, head, body };
  }

  /** All bytes that arrived and were not read as an answer. */
  get rest(): string {
    return this.received.toString("latin1");
  }

  /** Whether the connection closes before another byte comes. */
  async closesSilently(): Promise<boolean> {
    const before = this.received.length;
    const spoke = () => (this.received.length > before ? 1 : -1);
    await Promise.race([this.whenClosed, this.until(spoke).catch(() => 0)]);
    return this.received.length === before;
  }

  /** Resolves when the text has come. */
  async awaitText(text: string): Promise<void> {
    await this.until(() => this.received.indexOf(text));
  }

  /** Resolves when this many bytes have arrived that were not read as an answer. */
  async awaitBytes(bytes: number): Promise<void> {
    await this.until(() => (this.received.length >= bytes ? bytes : -1));
  }

  end(): void {
    this.socket.destroy();
  }

  private async until(found: () => number): Promise<number> {
    for (;;) {
      const at = found();
      if (at >= 0) return at;
      if (this.isClosed) throw new Error(`the connection closed after: ${this.rest.slice(0, 300)}`);
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }
}

/** First of the ports that tests use in blocks, below those that the system gives to clients. */
const firstPort = 16_384;
const blockCount = 64;
const blockSize = 256;
/** Ports for each service, which also listens on those right after its own unless configured. */
const portStep = 4;
let nextBlock = process.pid;
/** Ports of this process's block that were not given out yet. */
const blockPorts: number[] = [];

/**
 * Finds a port of 127.0.0.1 that neither a client of the system nor another test process is given,
 * so that a server that is away finds it free when it is back. Throws when all blocks are in use.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = blockPorts.shift();
    if (port === undefined) await reserveBlock();
    else if (await isFree(port)) return port;
  }
}

/** A process reserves a block by listening on its first port for as long as it lives. */
async function reserveBlock(): Promise<void> {
  for (let tries = 0; tries < blockCount; tries++) {
    const start = firstPort + (nextBlock++ % blockCount) * blockSize;
    const server = createServer();
    if (!(await listens(server, start))) continue;
    server.unref();
    for (let port = start + portStep; port < start + blockSize; port += portStep)
      blockPorts.push(port);
    return;
  }
  throw new Error("each block of ports is in use by another process of tests");
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  if (!(await listens(server, port))) return false;
  server.close();
  await once(server, "close");
  return true;
}

async function listens(server: Server, port: number): Promise<boolean> {
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
    return true;
  } catch {
    return false;
  }
}
