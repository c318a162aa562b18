/**
 * The peer: uWebSockets.js and nothing else, with the same request and answer bodies. It parses
 * what it is sent and answers what Klieg answered; it checks, stores and signs nothing. A process
 * of its own, because the comparison is of processes: `node peer.js <file with the answer's body>`
 * tells its port to the parent and ends with it.
 *
 * The one file besides http/transport/server.ts that imports uWebSockets.js: sharing Klieg's server
 * code would measure Klieg's.
 */

import * as uWS from "uWebSockets.js";
import { readFileSync } from "node:fs";

const body = readFileSync(process.argv[2] ?? "");

const app = uWS.App();
app.post("/*", (response) => {
  const chunks: Buffer[] = [];
  response.onAborted(() => undefined);
  response.onData((chunk, isLast) => {
    chunks.push(Buffer.from(chunk.slice(0)));
    if (!isLast) return;
    JSON.parse(Buffer.concat(chunks).toString());
    response.cork(() => {
      response.writeStatus("202 Accepted").writeHeader("Content-Type", "application/json");
      response.end(body);
    });
  });
});
app.get("/*", (response) => {
  response.writeHeader("Content-Type", "application/json").end(body);
});
app.listen("127.0.0.1", 0, (socket) => {
  if (socket === false) throw new Error("The peer found no free port.");
  process.send?.({ port: uWS.us_socket_local_port(socket) });
});
process.on("disconnect", () => process.exit(0));
