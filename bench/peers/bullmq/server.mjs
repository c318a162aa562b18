// Adds a job for each POST and answers what Klieg answered:
// `node server.mjs uws|fastify <Redis' port> <file with the answer's body>`.
// Jobs wait in Redis: no worker takes them. Commands of one turn share a write, as ioredis advises.
import { readFileSync } from "node:fs";
import { Queue } from "bullmq";
import { Redis } from "ioredis";

const [kind, redisPort, file] = process.argv.slice(2);
const body = readFileSync(file);
const connection = new Redis(Number(redisPort), "127.0.0.1", {
  enableAutoPipelining: true,
  maxRetriesPerRequest: null,
});
const queue = new Queue("generate", { connection });
await queue.waitUntilReady();
const port = await (kind === "uws" ? listenUws() : listenFastify());
process.send({ port });
process.on("disconnect", () => process.exit(0));

async function listenUws() {
  const uWS = await import("uWebSockets.js");
  const app = uWS.App();
  app.post("/*", (response) => {
    const chunks = [];
    let isAborted = false;
    response.onAborted(() => {
      isAborted = true;
    });
    response.onData((chunk, isLast) => {
      chunks.push(Buffer.from(chunk.slice(0)));
      if (!isLast) return;
      const request = JSON.parse(Buffer.concat(chunks).toString());
      queue.add("generate", request).then(() => {
        if (isAborted) return;
        response.cork(() => {
          response.writeStatus("202 Accepted").writeHeader("Content-Type", "application/json");
          response.end(body);
        });
      });
    });
  });
  return new Promise((resolve) => {
    app.listen("127.0.0.1", 0, (socket) => resolve(uWS.us_socket_local_port(socket)));
  });
}

async function listenFastify() {
  const { fastify } = await import("fastify");
  const app = fastify();
  app.post("/*", async (request, reply) => {
    await queue.add("generate", request.body);
    return reply.code(202).type("application/json").send(body);
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  return app.server.address().port;
}
