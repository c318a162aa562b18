import t from "tap";
import { openInProcess } from "./in-process-service.ts";

const trace_id = "0af7651916cd43dd8448eb211c80319c";
const span_id = "b7ad6b7169203331";

t.test("traceparent is continued into the logs of provider calls", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const submit = (prompt: string, traceparent: string) => ada.submit(prompt, {}, { traceparent });
  const { json: job, headers } = await submit("a kite", `00-${trace_id}-${span_id}-01`);
  await house.settle();
  const call = { operation: "provider.submit", job: job.id, trace_id, span_id };
  t.strictSame(house.engine.traced, [call]);
  t.equal(headers["traceparent"], undefined, "it is a header of requests");
  const body = { model: "studio-image", prompt: "a kite" };
  const traceparent = `cc-${trace_id}-${span_id}-00-what-comes`;
  const { json: drawn } = await ada.post<{ id: string }>("/v1/generate/image", body, {
    traceparent,
  });
  await house.settle();
  t.match(house.engine.traced[1], { operation: "farm.run", job: drawn.id, trace_id });
});

t.test("a traceparent that is none changes nothing", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  for (const traceparent of [
    "",
    `ff-${trace_id}-${span_id}-01`,
    `00-${"0".repeat(32)}-${span_id}-01`,
    `00-${trace_id}-${"0".repeat(16)}-01`,
    `00-${trace_id.toUpperCase()}-${span_id}-01`,
    `00-${trace_id}-${span_id}-0`,
    `00-${trace_id}-${span_id}-011`,
  ])
    t.equal((await ada.submit(`kite ${traceparent}`, {}, { traceparent })).status, 202);
  await house.settle();
  t.strictSame(house.engine.traced, []);
});
