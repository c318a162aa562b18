/** Tests the message stream that farm nodes and services maintain over datagrams. */
import fc from "fast-check";
import t from "tap";
import { limits } from "../../config/limits.ts";
import { FrameLink, type Piece } from "../../engine/adapters/farm/frame-link.ts";

/** Two ends of a link whose pieces a test may lose, duplicate and delay. */
function pair() {
  const way: { readonly to: "a" | "b"; readonly piece: Piece }[] = [];
  const heard: Record<"a" | "b", string[]> = { a: [], b: [] };
  const failed: string[] = [];
  const end = (name: "a" | "b"): FrameLink =>
    new FrameLink({
      publish: (piece) => void way.push({ to: name === "a" ? "b" : "a", piece }),
      receive: (message) => heard[name].push(Buffer.from(message).toString()),
      fail: (reason) => failed.push(reason),
    });
  const ends = { a: end("a"), b: end("b") };
  const deliver = (): void => {
    for (const { to, piece } of way.splice(0)) ends[to].handle(piece);
  };
  return { ...ends, ends, way, heard, failed, deliver };
}

t.test("messages arrive once and in order, whatever is lost, doubled or late", async (t) => {
  const step = fc.oneof(
    fc.record({
      do: fc.constant("send" as const),
      by: fc.constantFrom("a" as const, "b" as const),
    }),
    fc.record({ do: fc.constantFrom("lose" as const, "double" as const, "swap" as const) }),
    fc.record({ do: fc.constantFrom("deliver" as const, "tick" as const, "repeat" as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { ends, way, heard, failed, deliver } = pair();
      const sent: Record<"a" | "b", string[]> = { a: [], b: [] };
      for (const [at, one] of steps.entries())
        if (one.do === "send") {
          sent[one.by].push(`${at}`);
          ends[one.by].send(Buffer.from(`${at}`));
        } else if (one.do === "lose") way.pop();
        else if (one.do === "double") way.push(...way.slice(-3));
        else if (one.do === "swap") way.reverse();
        else if (one.do === "deliver") deliver();
        else for (const end of Object.values(ends)) end[one.do]();
      for (let round = 0; round < 8; round++) {
        for (const end of Object.values(ends)) end.tick();
        deliver();
        deliver();
      }
      t.strictSame([heard.a, heard.b], [sent.b, sent.a]);
      t.strictSame([ends.a.hasArrived, ends.b.hasArrived, failed], [true, true, []]);
    }),
    { numRuns: 200 },
  );
});

t.test("a message of many pieces is put together again", async (t) => {
  const { a, heard, deliver, way } = pair();
  const message = "kite".repeat(200_000);
  a.send(Buffer.from(message));
  t.ok(way.length > 2);
  deliver();
  t.strictSame(heard.b, [message]);
});

t.test("what waits for the other end, and what comes of it, is bounded", async (t) => {
  const far = pair();
  const message = Buffer.alloc(limits.farm.messageBytesMax);
  const many = limits.farm.unheardBytesMax / message.length;
  for (let at = 0; at < many; at++) far.a.send(message);
  t.strictSame(far.failed, []);
  far.a.send(Buffer.from("more"));
  t.equal(far.failed.length, 1);
  const large = pair();
  large.a.send(Buffer.alloc(limits.farm.messageBytesMax + 1));
  t.equal(large.failed.length, 1);
  const hostile = pair();
  const bytes = Buffer.alloc(512 * 1024);
  for (let seq = 1; hostile.failed.length === 0 && seq < 100; seq++)
    hostile.a.handle({ seq, ack: 0, isLast: false, bytes });
  t.strictSame(hostile.failed, ["a message is too large"]);
});

t.test("acknowledgements of what was never sent are passed over", async (t) => {
  const { a, deliver, heard } = pair();
  a.handle({ seq: 0, ack: 9_000, isLast: true, bytes: new Uint8Array() });
  a.send(Buffer.from("kite"));
  t.notOk(a.hasArrived);
  deliver();
  t.strictSame(heard.b, ["kite"]);
});
