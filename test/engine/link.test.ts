/** Tests when messages of several links leave their thread. */
import { receiveMessageOnPort } from "node:worker_threads";
import t from "tap";
import { limits } from "../../config/limits.ts";
import { Link } from "../../engine/link.ts";
import { channel } from "../../engine/threads.ts";

/** Two links, of which the second does not overtake the first. */
function stage() {
  const [ahead, behind] = [channel(), channel()];
  const first = new Link<string, never>(ahead.far, () => {});
  const second = new Link<string, never>(behind.far, () => {}, first);
  const close = () => {
    for (const link of [second, first]) link.close();
  };
  const receive = ({ near }: typeof ahead): unknown => receiveMessageOnPort(near)?.message;
  return { first, second, ahead, behind, arrived: receive, close };
}

const endOfTick = () => new Promise((resolve) => setImmediate(resolve));

t.test("messages of one tick leave together at its end", async (t) => {
  const { first, ahead, arrived, close } = stage();
  first.send("1");
  first.send("2");
  t.equal(arrived(ahead), undefined);
  await endOfTick();
  t.strictSame(arrived(ahead), ["1", "2"]);
  close();
});

t.test("what an effect does elsewhere is not known before what caused it", async (t) => {
  const { first, second, ahead, behind, arrived, close } = stage();
  second.send("of an earlier record");
  first.send("a token's row");
  for (let count = 1; count < limits.engine.messagesPerPost; count++) second.send("open a wallet");
  t.ok(arrived(behind), "so many messages do not wait for the end of the tick");
  t.strictSame(arrived(ahead), ["a token's row"]);
  close();
});
