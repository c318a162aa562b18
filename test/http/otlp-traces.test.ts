/** Spans as a collector receives them: the test runs a server that speaks OTLP. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import t from "tap";
import { openTraces } from "../../engine/adapters/traces/open-traces.ts";
import { otlpTraces } from "../../engine/adapters/traces/otlp-traces.ts";

const parent = "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331";
const span = {
  name: "job image",
  kind: "internal",
  startMs: 1_000,
  endMs: 3_500,
  attributes: { "klieg.model": "studio-image" },
  isFailed: true,
} as const;

t.test("OTEL_EXPORTER_OTLP_ENDPOINT gets the spans of traces that are sampled", async (t) => {
  const asked: { readonly url: string | undefined; readonly body: unknown }[] = [];
  const collector = createServer(async (request, response) => {
    asked.push({ url: request.url, body: await json(request) });
    response.end("{}");
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  t.teardown(() => collector.close());
  const { port } = collector.address() as AddressInfo;
  const traces = otlpTraces(`http://127.0.0.1:${port}/otlp`, "shard 0");
  traces.record({ ...span, parent: `${parent}-01` });
  traces.record({ ...span, parent: `${parent}-00` });
  await traces.close();
  t.equal(asked.length, 1);
  t.equal(asked[0]?.url, "/otlp/v1/traces");
  t.match(asked[0]?.body, {
    resourceSpans: [
      {
        scopeSpans: [
          {
            spans: [
              {
                traceId: parent.slice(0, 32),
                parentSpanId: parent.slice(33),
                name: "job image",
                startTimeUnixNano: "1000000000",
                endTimeUnixNano: "3500000000",
                status: { code: 2 },
              },
            ],
          },
        ],
      },
    ],
  });
});

t.test("a collector that is away costs nothing but its spans", async (t) => {
  const traces = await openTraces("http://127.0.0.1:9", "http");
  traces?.record({ ...span, parent: `${parent}-01` });
  await traces?.close();
  t.equal(await openTraces(undefined, "http"), undefined);
});
