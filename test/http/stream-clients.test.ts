/** Event streams read to their end by third-party clients. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { EventSource } from "eventsource";
import t, { type Test } from "tap";
import { hear } from "./heard.ts";

interface Open {
  readonly url: string;
  /** Lets the job end, as soon as its stream is open. */
  readonly finish: () => Promise<void>;
}

async function openStream(t: Test): Promise<Open> {
  const { house, port } = await hear(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=1000");
  const ticket = await house.ticket(ada, job.id);
  const url = `http://127.0.0.1:${port}/v1/jobs/${job.id}/sse?ticket=${ticket}`;
  return { url, finish: () => house.advance(1_250) };
}

t.test("curl reads a stream to its end without an error (D1)", async (t) => {
  const { url, finish } = await openStream(t);
  const curl = spawn("curl", ["-sSN", url]);
  const closed = once(curl, "close");
  let output = "";
  let errors = "";
  curl.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  curl.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  await once(curl.stdout, "data");
  await finish();
  const [code] = await closed;
  t.strictSame([code, errors], [0, ""]);
  t.match(output, /event: status[\s\S]*event: complete\n.*\ndata: .*"succeeded".*\n\n$/);
});

t.test("Node's fetch reads a stream to its end without an error (D1)", async (t) => {
  const { url, finish } = await openStream(t);
  const response = await fetch(url);
  await finish();
  t.match(await response.text(), /event: complete\n.*\ndata: .*"succeeded".*\n\n$/);
});

t.test("node:http reads a stream to its end, and the connection goes on (D1)", async (t) => {
  const { url, finish } = await openStream(t);
  const text = await new Promise<string>((resolve, reject) => {
    const asking = request(url, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        body += chunk;
      });
      response.on("end", () => resolve(`${body}${response.complete ? "whole" : "cut"}`));
      response.on("error", reject);
      void finish();
    });
    asking.on("error", reject);
    asking.end();
  });
  t.match(text, /event: complete\n.*\ndata: .*\n\nwhole$/);
});

t.test("the package eventsource hears status and complete (D1)", async (t) => {
  const { url, finish } = await openStream(t);
  const source = new EventSource(url);
  t.teardown(() => source.close());
  const heardEvents: string[] = [];
  source.addEventListener("status", (event) => {
    heardEvents.push(event.type);
    if (heardEvents.length === 1) void finish();
  });
  const complete = await new Promise<string>((resolve) => {
    source.addEventListener("complete", (event) => resolve(String(event.data)));
  });
  t.match(JSON.parse(complete), { status: "succeeded" });
  t.equal(heardEvents[0], "status");
});
