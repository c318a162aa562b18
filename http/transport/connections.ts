/**
 * How many connections each client has open (see `clients.ts`). uWS tells the address when one
 * opens and not when it closes, so opens are counted as an upper bound; only when that passes the
 * cap is the truth looked up, in the table of sockets (proc(5): net/tcp, net/tcp6), at most
 * once a second. Where there is no such table the cap holds for all clients together.
 */
import { readFileSync } from "node:fs";
import type { Clock } from "../../engine/ports/clock.ts";
import { clientAt, exceeds } from "./clients.ts";

const established = "01";
const recountMs = 1_000;

export class Connections {
  private readonly port: number;
  private readonly max: number;
  private readonly clock: Clock;
  private readonly table: () => string | undefined;
  private open = 0;
  /** Numbers of open connections, by the names of clients and of their networks. */
  private opensByName = new Map<string, number>();
  private countedMs = Number.NEGATIVE_INFINITY;

  /** `table` returns the kernel's table of sockets, or undefined where there is none. */
  constructor(port: number, max: number, clock: Clock, table: () => string | undefined) {
    this.port = port;
    this.max = max;
    this.clock = clock;
    this.table = table;
  }

  /** Returns false when the address (4 or 16 bytes in hex) now has too many open connections. */
  onOpen(address: string): boolean {
    this.open++;
    if (this.open === 1) this.opensByName.clear();
    const client = clientAt(address);
    const add = (name: string) => addTo(this.opensByName, name);
    if (!exceeds(client, this.max, add)) return true;
    this.recount();
    return !exceeds(client, this.max, (name) => this.opensByName.get(name) ?? 0);
  }

  onClose(): void {
    this.open--;
  }

  private recount(): void {
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.countedMs < recountMs) return;
    const table = this.table();
    if (table === undefined) {
      for (const name of this.opensByName.keys()) this.opensByName.set(name, this.open);
      return;
    }
    this.countedMs = nowMs;
    this.opensByName = countConnections(table, this.port);
  }
}

/** The kernel's table of TCP sockets; undefined on systems without one. */
export function socketTable(): string | undefined {
  try {
    return readFileSync("/proc/net/tcp", "utf8") + readFileSync("/proc/net/tcp6", "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** The table's lines are `slot: local:port remote:port state ...`, with numbers in hex. */
function countConnections(table: string, port: number): Map<string, number> {
  const counts = new Map<string, number>();
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  for (const line of table.split("\n")) {
    const [, from = "", to = "", state] = line.trim().split(/\s+/);
    if (state !== established || !from.endsWith(local)) continue;
    const { name, network } = clientAt(inNetworkOrder(to.slice(0, to.indexOf(":"))));
    addTo(counts, name);
    if (network !== undefined) addTo(counts, network);
  }
  return counts;
}

/** Adds one to the count and returns it. */
function addTo(counts: Map<string, number>, name: string): number {
  const count = (counts.get(name) ?? 0) + 1;
  counts.set(name, count);
  return count;
}

/** The table writes each 32-bit word of an address in the machine's byte order, little-endian. */
function inNetworkOrder(words: string): string {
  return Buffer.from(words, "hex").swap32().toString("hex");
}
