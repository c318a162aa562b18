import t from "tap";
import { openInProcess } from "./in-process-service.ts";

const parent = "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331";
const traceparent = `00-${parent}-01`;

t.test(
  "traceparent goes on to farm tasks, and their request and job are told as spans",
  async (t) => {
    const house = await openInProcess(t);
    const farm = house.farmNode();
    const ada = await house.account();
    const body = { model: "studio-image", prompt: "a kite that nobody is told of" };
    const { json } = await ada.post<{ id: string }>("/v1/generate/image", body, { traceparent });
    await house.settle();
    t.equal(farm.lease.trace, `${parent}-01`);
    await house.advance(1_000);
    await farm.finish([Buffer.from("a picture")]);
    await house.advance(500);
    const told = { parent: `${parent}-01`, isFailed: false };
    t.match(house.spans, [
      {
        ...told,
        name: "POST /v1/generate/image",
        kind: "server",
        attributes: { "http.route": "/v1/generate/image", "http.response.status_code": 202 },
      },
      {
        ...told,
        name: "job image",
        kind: "internal",
        attributes: { "klieg.job": json.id, "klieg.model": "studio-image" },
      },
    ]);
    const [, job] = house.spans;
    t.ok((job?.endMs ?? 0) - (job?.startMs ?? 0) >= 1_000, "from the submit to the end");
    t.notMatch(JSON.stringify(house.spans), /kite|nobody/, "and no word of what was asked");
  },
);

t.test("what no client traces is told to nobody", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  await ada.job("a kite");
  await house.settle();
  t.strictSame(house.spans, []);
});
