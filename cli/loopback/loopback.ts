/** Servers of the command line, for programs on this machine; see `engine/network/loopback.ts`. */
import { once } from "node:events";
import type { IncomingMessage, Server } from "node:http";
import { loopbackHost } from "../../engine/network/loopback.ts";
import { CommandError } from "../command.ts";

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

export function closeNow(server: Server): void {
  server.close();
  server.closeAllConnections();
}

/** Whether a page that this server has sent asks. */
export function isOfOwnPage({ headers }: IncomingMessage): boolean {
  return headers.origin === `http://${headers.host}`;
}
