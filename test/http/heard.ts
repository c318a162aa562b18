/**
 * Puts the real listener in front of the in-process service. uWebSockets.js reads its header limit
 * when it is loaded, so it is loaded after the limit is set.
 */
import type { Test } from "tap";
import { Api } from "../../http/api.ts";
import type { Route } from "../../http/route.ts";
import { routeTable } from "../../http/route-table.ts";
import type { Listener } from "../../http/transport/server.ts";
import { TrustedProxies } from "../../http/transport/trusted-proxies.ts";
import { type InProcess, openInProcess } from "../spec/in-process-service.ts";
import { freePort, RawConnection } from "./raw-http.ts";

process.env["UWS_HTTP_MAX_HEADERS_SIZE"] = "32768";
const { listen } = await import("../../http/transport/server.ts");

export interface Heard {
  readonly house: InProcess;
  readonly listener: Listener;
  readonly port: number;
  readonly open: () => RawConnection;
}

export async function hear(
  t: Test,
  connectionsPerAddress = 100,
  more: readonly Route[] = [],
  trustedProxies: readonly string[] = [],
): Promise<Heard> {
  const house = await openInProcess(t);
  const port = await freePort();
  const api = new Api(house.service, [...routeTable, ...more]);
  const proxies = new TrustedProxies(trustedProxies);
  const options = { host: "127.0.0.1", port, connectionsPerAddress, proxies };
  const listener = await listen(api, options, house.clock);
  const connections: RawConnection[] = [];
  t.teardown(() => {
    for (const connection of connections) connection.end();
    listener.stopListening();
    listener.close();
  });
  const open = () => {
    const connection = new RawConnection(port);
    connections.push(connection);
    return connection;
  };
  return { house, listener, port, open };
}

export const host = "Host: klieg.example\r\n";

export function get(path: string, more = ""): string {
  return `GET ${path} HTTP/1.1\r\n${host}${more}\r\n`;
}
