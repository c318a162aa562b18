// Restate by itself: `node run.mjs <ports of ingress and administration> <jobs under way>`. The
// service that it calls is in this process; a job is a call over HTTP that is answered at its end.
import { Agent, request } from "node:http";
import * as restate from "@restatedev/restate-sdk";
import { ended, serveRounds } from "./queue-rounds.mjs";

// What it needs of Node 22, for a Node 20.
Promise.withResolvers ??= () => {
  const all = {};
  all.promise = new Promise((resolve, reject) => Object.assign(all, { resolve, reject }));
  return all;
};
const [ports, underWay] = process.argv.slice(2);
const [ingress, admin] = ports.split(",").map(Number);
const jobs = restate.service({
  name: "jobs",
  handlers: { generate: async (_, { number }) => ({ number }) },
});
const port = await restate
  .endpoint()
  .setLogger(() => undefined)
  .bind(jobs)
  .listen(0);
const agent = new Agent({ keepAlive: true });
await post(admin, "/deployments", { uri: `http://127.0.0.1:${port}` });
let number = 0;
serveRounds(Number(underWay), async () => {
  number++;
  const own = number;
  await post(ingress, "/jobs/generate", { number: own, model: "sim-instant", prompt: "kite" });
  ended(own);
  return own;
});

function post(to, path, value) {
  const body = JSON.stringify(value);
  const headers = { "content-type": "application/json", "content-length": body.length };
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port: to, path, method: "POST", headers, agent });
    sent.once("error", reject);
    sent.once("response", (answer) => {
      answer.resume();
      answer.once("end", () =>
        answer.statusCode < 300 ? resolve() : reject(new Error(`${path}: ${answer.statusCode}`)),
      );
    });
    sent.end(body);
  });
}
