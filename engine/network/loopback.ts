/**
 * Servers for programs of this machine alone: they listen on the loopback address. A page of any
 * site in a browser here could still ask them, under a name of its own that leads here, so the Host
 * of each request is checked before anything else.
 */
import type { IncomingMessage, Server } from "node:http";
import type { AddressInfo } from "node:net";

export const loopbackHost = "127.0.0.1";

/** Returns the port on which the server listens. */
export function getPort(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** Whether the request names this machine and the server's port. */
export function isForLoopback({ headers }: IncomingMessage, server: Server): boolean {
  const port = getPort(server);
  const names = [loopbackHost, "localhost", "[::1]"].map((name) => `${name}:${port}`);
  return names.includes(headers.host ?? "");
}
