/** HTTP servers for programs on this machine only; see `engine/network/loopback.ts`. */
import { once } from "node:events";
import type { IncomingMessage, Server } from "node:http";
import { loopbackHost } from "../../engine/network/loopback.ts";
import { CommandError } from "../command.ts";

/** Listens on a port; 0 takes any free one. Throws `CommandError` when the port is in use. */
export async function listenOnLoopback(server: Server, port: number): Promise<void> {
  server.listen(port, loopbackHost);
  try {
    await once(server, "listening");
  } catch (error) {
    const isTaken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
    if (!isTaken) throw error;
    throw Object.assign(new CommandError(`Port ${port} is in use; choose another.`), {
      cause: error,
    });
  }
}

export function closeNow(server: Server): void {
  server.close();
  server.closeAllConnections();
}

/** Whether the request comes from a page that this server sent. */
export function isOfOwnPage({ headers }: IncomingMessage): boolean {
  return headers.origin === `http://${headers.host}`;
}
