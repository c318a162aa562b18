/** The relays between members: the only routes to NATS servers and between these servers. */
import { type Direction, type Kind, memberCounts } from "./faults.ts";
import { type Cut, Relay } from "./relay.ts";

interface Line {
  /** Name of the member that opens connections. */
  readonly from: string;
  /** Name of the NATS server that is connected to. */
  readonly to: string;
  readonly relay: Relay;
}

export interface NatsPorts {
  readonly client: number;
  readonly route: number;
}

export class Network {
  private readonly lines: readonly Line[];

  private constructor(lines: readonly Line[]) {
    this.lines = lines;
  }

  static async open(servers: readonly NatsPorts[]): Promise<Network> {
    const lines: Line[] = [];
    for (const [index, { client, route }] of servers.entries()) {
      const to = `nats-${index}`;
      for (const kind of ["engine", "farm"] as const)
        for (let from = 0; from < memberCounts[kind]; from++)
          lines.push({ from: `${kind}-${from}`, to, relay: await Relay.open(client) });
      for (const from of servers.keys())
        if (from !== index)
          lines.push({ from: `nats-${from}`, to, relay: await Relay.open(route) });
    }
    return new Network(lines);
  }

  /** Ports through which `from` reaches each NATS server other than itself. */
  ports(from: string): number[] {
    return this.lines.filter((line) => line.from === from).map(({ relay }) => relay.port);
  }

  /** Returns the NATS server to which this member has the most connections. */
  getUsedServer(from: string): number {
    const counts = this.lines.filter((line) => line.from === from);
    const most = counts.reduce((a, b) => (b.relay.connections > a.relay.connections ? b : a));
    return Number(most.to.slice("nats-".length));
  }

  /**
   * Cuts a node off from all servers, or a server from the other servers, while its clients still
   * reach it. Returns a function that ends the cut.
   */
  cut(kind: Kind, index: number, direction: Direction): () => void {
    const name = `${kind}-${index}`;
    const healing = this.lines.flatMap(({ from, to, relay }) => {
      const isCaller = from === name;
      const isCalled = kind === "nats" && to === name && from.startsWith("nats-");
      if (!isCaller && !isCalled) return [];
      const cut: Cut = {
        forward: direction === "both" || (direction === "out") === isCaller,
        backward: direction === "both" || (direction === "in") === isCaller,
      };
      relay.cut(cut);
      return [() => relay.heal(cut)];
    });
    return () => {
      for (const heal of healing) heal();
    };
  }

  close(): void {
    for (const { relay } of this.lines) relay.close();
  }
}
