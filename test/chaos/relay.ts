/**
 * A relay of TCP on loopback between two members, which can hold back the bytes of one direction or
 * of both, as a network does that loses packets: nothing is lost on a connection that goes on when
 * the cut is over, ends of connections do not pass a cut either, and a connection that is opened
 * during a cut of both directions gets no answer until then.
 */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

const host = "127.0.0.1";

export interface Cut {
  /** Whether bytes from the caller to the callee are held back. */
  readonly forward: boolean;
  readonly backward: boolean;
}

interface Pair {
  readonly caller: Socket;
  /** Connection to the callee; undefined while a cut keeps it from being opened. */
  callee: Socket | undefined;
}

export class Relay {
  readonly port: number;
  private readonly server: Server;
  private readonly targetPort: number;
  private readonly pairs = new Set<Pair>();
  private readonly cuts = new Set<Cut>();

  private constructor(server: Server, targetPort: number) {
    this.server = server;
    this.targetPort = targetPort;
    this.port = (server.address() as AddressInfo).port;
    server.on("connection", (caller) => this.accept(caller));
  }

  static async open(targetPort: number): Promise<Relay> {
    const server = createServer({ allowHalfOpen: true, noDelay: true }).listen(0, host);
    await once(server, "listening");
    return new Relay(server, targetPort);
  }

  /** Number of connections that are open to the target. */
  get connections(): number {
    return this.pairs.size;
  }

  cut(cut: Cut): void {
    this.cuts.add(cut);
    this.apply();
  }

  heal(cut: Cut): void {
    this.cuts.delete(cut);
    this.apply();
  }

  close(): void {
    this.server.close();
    for (const { caller, callee } of this.pairs) {
      caller.destroy();
      callee?.destroy();
    }
  }

  private accept(caller: Socket): void {
    const pair: Pair = { caller, callee: undefined };
    this.pairs.add(pair);
    caller.pause();
    caller.on("error", () => caller.destroy());
    caller.once("close", () => {
      if (pair.callee === undefined) this.pairs.delete(pair);
    });
    this.apply();
  }

  private isHeld(direction: keyof Cut): boolean {
    return [...this.cuts].some((cut) => cut[direction]);
  }

  private apply(): void {
    const held = { forward: this.isHeld("forward"), backward: this.isHeld("backward") };
    for (const pair of this.pairs) {
      if (pair.callee === undefined && !(held.forward && held.backward)) this.call(pair);
      setFlow(pair.caller, pair.callee, held.forward);
      if (pair.callee !== undefined) setFlow(pair.callee, pair.caller, held.backward);
    }
  }

  private call(pair: Pair): void {
    const { caller } = pair;
    const callee = connect({ port: this.targetPort, host, allowHalfOpen: true, noDelay: true });
    pair.callee = callee;
    callee.pause();
    callee.on("error", () => callee.destroy());
    this.pass(pair, caller, callee, "forward");
    this.pass(pair, callee, caller, "backward");
  }

  /** Forwards data, and the end, from `from` to `to` unless that direction is held. */
  private pass(pair: Pair, from: Socket, to: Socket, direction: keyof Cut): void {
    from.on("data", (bytes) => {
      if (to.destroyed || to.write(bytes)) return;
      from.pause();
      to.once("drain", () => setFlow(from, to, this.isHeld(direction)));
    });
    from.once("end", () => to.end());
    const leave = (): void => {
      if (this.isHeld(direction)) {
        // The cut is polled, because only few connections end during one.
        setTimeout(leave, 50).unref();
        return;
      }
      this.pairs.delete(pair);
      to.destroySoon();
    };
    from.once("close", leave);
    if (from.destroyed) leave();
  }
}

function setFlow(from: Socket, to: Socket | undefined, isHeld: boolean): void {
  if (isHeld || to === undefined || to.writableNeedDrain) from.pause();
  else from.resume();
}
