/** Three NATS servers that keep three copies. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Child, startChild } from "../../config/cluster/child.ts";
import {
  farmUser,
  host,
  makeFolder,
  natsPort,
  natsRoutePort,
  natsServers,
  type Secrets,
  writePrivate,
} from "./places.ts";

export interface NatsOptions {
  /** Data directory of the whole cluster. */
  readonly folder: string;
  /** First port of the whole cluster. */
  readonly port: number;
  readonly secrets: Secrets;
}

const farmUserFile = join(import.meta.dirname, "../../../config/deploy/nats/farm-user.conf");
const servers = [...Array(natsServers).keys()];

export function natsUrl(port: number): string {
  return servers.map((server) => `nats://${host}:${natsPort(port, server)}`).join(",");
}

/** Throws `ChildError`. */
export function startNats(options: NatsOptions): Promise<Child>[] {
  return servers.map((server) => startServer(server, options));
}

async function startServer(server: number, options: NatsOptions): Promise<Child> {
  const name = `nats-${server + 1}`;
  const folder = makeFolder(join(options.folder, name));
  const file = join(folder, "nats.conf");
  writePrivate(file, config(name, server, folder, options));
  return startChild({
    name: `NATS server ${server + 1}`,
    command: ["nats-server", "-c", file],
    env: process.env,
    logFile: join(options.folder, `${name}.log`),
    ready: "Server is ready",
  });
}

function config(
  name: string,
  server: number,
  folder: string,
  { port, secrets }: NatsOptions,
): string {
  const route = (other: number) =>
    `nats://route:${secrets.natsRoute}@${host}:${natsRoutePort(port, other)}`;
  const permissions = readFileSync(farmUserFile, "utf8");
  const farmUsers = secrets.natsFarms.map((password, node) => {
    const name = farmUser(node);
    return `    { user: ${name}, password: "${password}", permissions {
${permissions.replace("NAME.*", `${name}.*`)} } }`;
  });
  return `server_name: ${name}
listen: "${host}:${natsPort(port, server)}"
jetstream { store_dir: ${JSON.stringify(folder)} }
cluster {
  name: klieg
  listen: "${host}:${natsRoutePort(port, server)}"
  authorization { user: route, password: "${secrets.natsRoute}" }
  routes: [${servers.map((other) => JSON.stringify(route(other))).join(", ")}]
}
authorization {
  users = [
    { user: engine, password: "${secrets.natsEngine}" }
${farmUsers.join("\n")}
  ]
}
`;
}
