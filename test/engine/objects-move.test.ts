import { createHash } from "node:crypto";
import t from "tap";
import { memoryObjects } from "../../engine/adapters/objects/memory-objects.ts";
import { type Moved, moveObjects, removeObjects } from "../../engine/objects-move.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import { PortError } from "../../engine/ports/port-error.ts";

const quiet = () => undefined;

async function fill(count: number): Promise<Objects> {
  const objects = memoryObjects();
  for (let n = 0; n < count; n++) await objects.put(`a/${n}`, [Buffer.alloc(100 + n, n)]);
  return objects;
}

/** Returns each object's key and hash. */
async function contents(objects: Objects): Promise<string[]> {
  const lines: string[] = [];
  for await (const { key } of objects.list()) {
    const hash = createHash("sha256");
    for await (const chunk of objects.read(key, { start: 0, end: 1e9 })) hash.update(chunk);
    lines.push(`${key} ${hash.digest("hex")}`);
  }
  return lines.sort();
}

/** Wraps objects so that the keys of puts are recorded in order. */
function watch(objects: Objects): { readonly to: Objects; readonly puts: string[] } {
  const puts: string[] = [];
  const to: Objects = {
    ...objects,
    put: (key, bytes) => {
      puts.push(key);
      return objects.put(key, bytes);
    },
  };
  return { to, puts };
}

t.test("all objects arrive whole, and volatile ones are left", async (t) => {
  const from = await fill(50);
  await from.put("volatile/x", [Buffer.from("x")]);
  const to = memoryObjects();
  const told: Moved[] = [];
  const moved = await moveObjects(from, to, (now) => void told.push(now));
  const bytes = 50 * 100 + (49 * 50) / 2;
  t.strictSame(moved, { sent: 50, found: 0, bytes });
  t.equal(told.length, 50);
  await from.remove("volatile/x");
  t.strictSame(await contents(to), await contents(from));
});

t.test("a move that was interrupted goes on where it was", async (t) => {
  const from = await fill(40);
  const store = memoryObjects();
  const first = watch(store);
  const dying: Objects = {
    ...first.to,
    put: (key, bytes) => {
      if (first.puts.length === 17) throw new PortError("the store is gone.", false);
      return first.to.put(key, bytes);
    },
  };
  await t.rejects(moveObjects(from, dying, quiet), { message: "the store is gone." });
  const { to, puts } = watch(store);
  const moved = await moveObjects(from, to, quiet);
  t.equal(moved.sent + moved.found, 40);
  t.equal(puts.length, moved.sent);
  t.ok(moved.found >= 10, `${moved.found} were there`);
  t.strictSame(await contents(store), await contents(from));
});

t.test("other bytes of the same size are replaced", async (t) => {
  const from = await fill(3);
  const to = memoryObjects();
  await to.put("a/1", [Buffer.alloc(101, 99)]);
  await to.put("a/2", [Buffer.alloc(102, 2)]);
  t.match(await moveObjects(from, to, quiet), { sent: 2, found: 1 });
  t.strictSame(await contents(to), await contents(from));
});

t.test("bytes that changed on their way are found out", async (t) => {
  const store = memoryObjects();
  const lying: Objects = {
    ...store,
    put: async (key, bytes) => {
      const stored = await store.put(key, bytes);
      await store.put(key, [Buffer.alloc(stored.sizeBytes, 255)]);
      return stored;
    },
  };
  await t.rejects(moveObjects(await fill(1), lying, quiet), {
    name: "PortError",
    message: /what was stored is not what was sent/,
  });
});

t.test("a read that breaks off is begun again", async (t) => {
  const from = await fill(5);
  let breaks = 2;
  const breaking: Objects = {
    ...from,
    async *read(key, range) {
      if (key === "a/3" && breaks-- > 0) throw new PortError("the connection broke", true);
      yield* from.read(key, range);
    },
  };
  const to = memoryObjects();
  t.match(await moveObjects(breaking, to, quiet), { sent: 5 });
  t.strictSame(await contents(to), await contents(from));
});

t.test("what was moved can be removed where it was", async (t) => {
  const from = await fill(20);
  await removeObjects(from);
  t.strictSame(await contents(from), []);
});
