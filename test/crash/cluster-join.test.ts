/** What a node of a cluster needs to start; how a service joins one: `test/long/cluster-join`. */
import t from "tap";
import { startNats } from "../nats-server.ts";
import { isOneSentence, startAndFail } from "./klieg-process.ts";

t.test("what a cluster lacks is said in one sentence", async (t) => {
  const server = await startNats(t, { hasJetStream: true });
  const noBucket = await startAndFail(t, t.testdir(), { KLIEG_NATS_URL: server.url });
  isOneSentence(t, noBucket, /share an object store; set KLIEG_S3_ENDPOINT/);
  const nowhere = await startAndFail(t, t.testdir(), { KLIEG_DURABILITY: "replicated" });
  isOneSentence(t, nowhere, /no other nodes to replicate to; set KLIEG_NATS_URL/);
});
