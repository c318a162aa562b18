/**
 * Servers of the command line, for programs on this machine alone: they listen on the loopback
 * address. A page of any site in a browser here could still ask them, under a name of its own that
 * leads here, so the Host of each request is checked before anything else.
 */
import { once } from "node:events";
import type { IncomingMessage, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { CommandError } from "../command.ts";

export const loopbackHost = "127.0.0.1";

/** Listens, on any free port for 0. Throws `CommandError` when the port cannot be had. */
export async function listenOnLoopback(server: Server, port: number): Promise<void> {
  server.listen(port, loopbackHost);
  try {
    await once(server, "listening");
  } catch (error) {
    const isTaken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
    if (!isTaken) throw error;
    throw Object.assign(new CommandError(`Port ${port} is in use; name another.`), {
      cause: error,
    });
  }
}

export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

export function closeNow(server: Server): void {
  server.close();
  server.closeAllConnections();
}

/** Whether the request names this machine. */
export function isForLoopback({ headers }: IncomingMessage, server: Server): boolean {
  return namesOf(server).includes(headers.host ?? "");
}

/** Whether a page that this server has sent asks. */
export function isOfOwnPage({ headers }: IncomingMessage): boolean {
  return headers.origin === `http://${headers.host}`;
}

function namesOf(server: Server): readonly string[] {
  const port = portOf(server);
  return [loopbackHost, "localhost", "[::1]"].map((name) => `${name}:${port}`);
}
