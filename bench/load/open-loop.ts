/**
 * Requests at a fixed pace, whether or not earlier ones were answered: each is timed from the
 * moment at which it was due, so that a server that pauses cannot hide it. Connections carry one
 * request at a time; when all are busy the next waits, and its wait counts.
 */
import { connect, type Socket } from "node:net";
import { Latencies } from "../report/latencies.ts";

export interface Pace {
  readonly aSecond: number;
  readonly seconds: number;
}

export interface PacedResult {
  /** Time from when each request was due until its answer. */
  readonly waits: Latencies;
  /** How late this program sent each request. */
  readonly delays: Latencies;
  /** Number of answers with a status other than 2xx. */
  readonly refused: number;
}

const connectionsMax = 512;

/**
 * `writeRequest` returns the whole request with the given number; `answeredAfter` is called for
 * each answer. Rejects when a connection fails.
 */
export async function pace(
  origin: string,
  { aSecond, seconds }: Pace,
  writeRequest: (number: number) => string,
  answeredAfter: (number: number, ms: number) => void = () => undefined,
): Promise<PacedResult> {
  const { hostname, port } = new URL(origin);
  const free: Connection[] = [];
  const all: Connection[] = [];
  const [waits, delays] = [new Latencies(), new Latencies()];
  let refused = 0;
  const count = aSecond * seconds;
  const begin = performance.now();
  await new Promise<void>((resolve, reject) => {
    const countAnswer = (connection: Connection, status: number) => {
      const ms = performance.now() - connection.dueMs;
      waits.record(ms);
      answeredAfter(connection.number, ms);
      if (status < 200 || status > 299) refused++;
      free.push(connection);
      if (waits.count === count) resolve();
    };
    let sent = 0;
    const open = () => all.filter(({ isClosed }) => !isClosed).length;
    const send = () => {
      for (; sent < count; sent++) {
        const dueMs = begin + (sent * 1_000) / aSecond;
        const lateMs = performance.now() - dueMs;
        if (lateMs < 0) break;
        let connection = free.pop();
        while (connection?.isClosed) connection = free.pop();
        if (connection === undefined) {
          if (open() === connectionsMax) break;
          connection = new Connection(connect(Number(port), hostname), countAnswer, reject);
          all.push(connection);
        }
        delays.record(lateMs);
        connection.send(writeRequest(sent), sent, dueMs);
      }
      if (sent < count) setTimeout(send, 1);
    };
    send();
  }).finally(() => {
    for (const connection of all) connection.close();
  });
  return { waits, delays, refused };
}

class Connection {
  number = 0;
  dueMs = 0;
  /** Set when the service closed the connection because it was idle for a while. */
  isClosed = false;
  private readonly socket: Socket;
  private received = "";
  private isWaiting = false;

  constructor(
    socket: Socket,
    answered: (connection: Connection, status: number) => void,
    failed: (error: Error) => void,
  ) {
    this.socket = socket.setNoDelay(true).setEncoding("latin1");
    socket.on("error", failed);
    socket.on("end", () => {
      this.isClosed = true;
      if (this.isWaiting) failed(new Error("The service closed a connection without an answer."));
    });
    socket.on("data", (text: string) => {
      this.received += text;
      const status = parseStatus(this.received);
      if (status === undefined) return;
      this.received = "";
      this.isWaiting = false;
      answered(this, status);
    });
  }

  send(request: string, number: number, dueMs: number): void {
    this.number = number;
    this.dueMs = dueMs;
    this.isWaiting = true;
    this.socket.write(request, "latin1");
  }

  close(): void {
    this.socket.destroy();
  }
}

/** Returns the status, or undefined while the answer is incomplete. */
function parseStatus(answer: string): number | undefined {
  const bodyAt = answer.indexOf("\r\n\r\n") + 4;
  if (bodyAt < 4) return undefined;
  const length = /content-length: (\d+)/i.exec(answer.slice(0, bodyAt))?.[1];
  if (length === undefined) throw new Error(`An answer has no length: ${answer.slice(0, bodyAt)}`);
  return answer.length < bodyAt + Number(length) ? undefined : Number(answer.slice(9, 12));
}
