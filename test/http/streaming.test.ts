/** Long bodies, event streams and many connections, over real sockets. */
import { randomBytes } from "node:crypto";
import { Socket } from "node:net";
import t from "tap";
import type { Sink } from "../../http/exchange/answer.ts";
import { route } from "../../http/route.ts";
import { get, hear } from "./heard.ts";

t.test("one address has a limited number of connections", async (t) => {
  const { open, house } = await hear(t, 4);
  const connections = [open(), open(), open(), open()];
  for (const connection of connections) {
    connection.write(get("/healthz"));
    t.equal((await connection.reply()).status, 200);
  }
  const fifth = open();
  fifth.write(get("/healthz"));
  await fifth.whenClosed;
  t.equal(fifth.rest, "", "it is closed without an answer");
  connections[0]?.end();
  let status = 0;
  while (status === 0) {
    house.clock.advance(1_000);
    const next = open();
    next.write(get("/healthz"));
    status = await next.reply().then(
      (reply) => reply.status,
      () => 0,
    );
  }
  t.equal(status, 200, "one that closes makes room, as soon as the service hears of it");
});

t.test("an object of several MiB arrives whole, in parts, and for a slow reader", async (t) => {
  const { open, house } = await hear(t);
  const bytes = randomBytes(6 * 1024 * 1024);
  await house.service.objects.put("large/one.png", [bytes]);
  const { url } = house.service.signedUrls.sign("large/one.png", house.clock.nowMs());
  const path = url.replace(/^https:\/\/[^/]+/, "");
  const connection = open();
  connection.write(get(path));
  const whole = await connection.reply();
  t.equal(whole.status, 200);
  t.ok(whole.body.equals(bytes));
  connection.write(get(path, "Range: bytes=1000000-4999999\r\n"));
  const part = await connection.reply();
  t.equal(part.status, 206);
  t.match(part.head, /Content-Range: bytes 1000000-4999999\/6291456/);
  t.ok(part.body.equals(bytes.subarray(1_000_000, 5_000_000)));
  const slow = open();
  slow.write(get(path));
  for (const mebibytes of [0, 1, 2, 3, 4, 5]) {
    await slow.awaitBytes(mebibytes * 1024 * 1024 + 1);
    slow.socket.pause();
    for (let n = 0; n < 50; n++) await house.settle();
    slow.socket.resume();
  }
  t.ok((await slow.reply()).body.equals(bytes), "nothing is lost while it pauses, again and again");
});

t.test("a client that leaves in the middle of an object does no harm", async (t) => {
  const { open, house } = await hear(t);
  await house.service.objects.put("large/two.png", [randomBytes(6 * 1024 * 1024)]);
  const { url } = house.service.signedUrls.sign("large/two.png", house.clock.nowMs());
  const leaver = open();
  leaver.write(get(url.replace(/^https:\/\/[^/]+/, "")));
  await leaver.awaitText("\r\n\r\n");
  leaver.end();
  await leaver.whenClosed;
  const connection = open();
  connection.write(get("/healthz"));
  t.equal((await connection.reply()).status, 200);
});

t.test("an event stream arrives frame by frame and ends", async (t) => {
  const { open, house } = await hear(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=1000");
  const ticket = await house.ticket(ada, job.id);
  const connection = open();
  connection.write(get(`/v1/jobs/${job.id}/sse?ticket=${ticket}`));
  await connection.awaitText("event: status");
  await house.advance(1_250);
  await connection.awaitText("event: complete");
  await connection.awaitText("\r\n0\r\n\r\n");
  t.ok(connection.rest.endsWith("\n\n\r\n0\r\n\r\n"), "the last chunk is a frame's");
  t.match(connection.rest, /Content-Type: text\/event-stream; charset=utf-8/);
  t.match(connection.rest, /retry: 5000/);
});

t.test("a client that leaves its stream gives its place back", async (t) => {
  const { open, house } = await hear(t, 300);
  const ada = await house.account();
  const job = await ada.job("sim:slow=60000");
  for (let n = 0; n < 101; n++) {
    const ticket = await house.ticket(ada, job.id);
    const connection = open();
    connection.write(get(`/v1/jobs/${job.id}/sse?ticket=${ticket}`));
    await connection.awaitText("event: status");
    connection.end();
    await connection.whenClosed;
  }
  t.pass("101 streams, one after the other");
});

t.test("what a slow reader leaves unread is counted, and its stream can be cut", async (t) => {
  let whenCut = () => {};
  const cut = new Promise<void>((resolve) => {
    whenCut = resolve;
  });
  const flood = route("GET", "/flood", {
    summary: "A route of this test",
    answers: {},
    access: "open",
    run: () => ({ status: 200, headers: [], body: { length: undefined, start: pour } }),
  });
  const line = "x".repeat(1_024);
  function pour(sink: Sink): () => void {
    let isGone = false;
    const more = () => {
      if (isGone) return;
      for (let n = 0; n < 64 && sink.unsent() <= 65_536; n++) sink.write(line);
      if (sink.unsent() <= 65_536) setImmediate(more);
      else sink.abort();
    };
    more();
    return () => {
      isGone = true;
      whenCut();
    };
  }
  const { port } = await hear(t, 100, [flood]);
  const socket = new Socket();
  t.teardown(() => socket.destroy());
  socket.connect(port, "127.0.0.1");
  socket.pause();
  socket.write(get("/flood"));
  await cut;
  t.pass("the connection is broken off although nobody reads");
});
