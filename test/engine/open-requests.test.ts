import t from "tap";
import { OpenRequests } from "../../engine/open-requests.ts";

t.test("each request is answered once, in whatever order the replies come", async (t) => {
  const requests = new OpenRequests<string>(100);
  t.strictSame([requests.add("a"), requests.add("b"), requests.add("c")], [100, 101, 102]);
  t.equal(requests.take(101), "b");
  t.equal(requests.take(101), undefined);
  t.equal(requests.take(100), "a");
  t.equal(requests.take(99), undefined, "nobody asked");
  t.equal(requests.take(103), undefined, "nobody has asked yet");
  t.equal(requests.take(102), "c");
});

t.test("a request that waits long outlasts thousands of others", async (t) => {
  const requests = new OpenRequests<number>(1);
  const numbers = Array.from({ length: 5_000 }, (_, index) => index + 1);
  t.strictSame(
    numbers.map((number) => requests.add(number)),
    numbers,
  );
  const others = numbers.filter((number) => number !== 3_000);
  t.strictSame(
    others.map((number) => requests.take(number)),
    others,
  );
  t.equal(requests.add(5_001), 5_001);
  t.equal(requests.take(3_000), 3_000);
  t.equal(requests.take(5_001), 5_001);
  t.equal(requests.take(1), undefined);
  t.equal(requests.add(5_002), 5_002);
});

t.test("those of a shard that went away are taken together", async (t) => {
  const requests = new OpenRequests<{ readonly shard: number }>(1);
  for (const shard of [0, 1, 0]) requests.add({ shard });
  t.strictSame(
    requests.takeWhere(({ shard }) => shard === 0),
    [{ shard: 0 }, { shard: 0 }],
  );
  t.equal(requests.take(1), undefined);
  t.strictSame(requests.take(2), { shard: 1 });
});
