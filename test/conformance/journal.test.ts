import t, { type Test } from "tap";
import { openJournal } from "../../engine/adapters/file-journal.ts";
import { memoryJournal } from "../../engine/adapters/memory/memory-stores.ts";
import type { Journal } from "../../engine/ports/journal.ts";

const adapters: Readonly<Record<string, (path: string) => Journal>> = {
  files: (path) => openJournal(`${path}/journal`),
  memory: () => memoryJournal(),
};

for (const [name, open] of Object.entries(adapters)) {
  t.test(`a journal on ${name}`, async (t) => {
    for (const part of [testAppending, testReading, testTrimming])
      await t.test(part.name, async (t) => {
        const journal = open(t.testdir());
        await part(t, journal);
        await journal.close();
      });
  });
}

async function testAppending(t: Test, journal: Journal): Promise<void> {
  await journal.append(1, bytes("one"));
  await journal.append(2, bytes("two"));
  t.strictSame(all(journal, 1), ["1 one", "2 two"], "what was appended is read back in order");

  const refusal = { name: "PortError", message: /record 2 is in the journal/, retryable: false };
  await t.rejects(journal.append(2, bytes("other")), refusal);
  t.strictSame(all(journal, 1), ["1 one", "2 two"], "a record is never overwritten");

  const scratch = bytes("three");
  await journal.append(3, scratch);
  scratch.fill(0);
  t.strictSame(all(journal, 3), ["3 three"], "the journal keeps its own copy of the bytes");

  const appends = [4, 5, 6].map((seq) => journal.append(seq, bytes(`at ${seq}`)));
  await Promise.all(appends);
  t.strictSame(all(journal, 4), ["4 at 4", "5 at 5", "6 at 6"]);

  const large = new Uint8Array(900 * 1024).fill(7);
  large[large.length - 1] = 9;
  await journal.append(7, large);
  const [record] = [...journal.from(7)].map(({ record }) => Buffer.from(record));
  t.ok(record?.equals(large), "a record of 900 KiB comes back whole");
}

async function testReading(t: Test, journal: Journal): Promise<void> {
  t.strictSame(all(journal, 1), [], "a new journal is empty");
  for (const seq of [9, 10, 255, 256, 65_536, 2 ** 31]) await journal.append(seq, bytes("x"));
  t.strictSame(
    all(journal, 1),
    ["9 x", "10 x", "255 x", "256 x", "65536 x", "2147483648 x"],
    "records come in the order of their numbers, not of their digits",
  );
  t.strictSame(all(journal, 256), ["256 x", "65536 x", "2147483648 x"], "from is inclusive");
  t.strictSame(all(journal, 257), ["65536 x", "2147483648 x"]);
  t.strictSame(all(journal, 2 ** 31 + 1), []);
}

async function testTrimming(t: Test, journal: Journal): Promise<void> {
  await journal.trim(10);
  t.strictSame(all(journal, 1), [], "trimming an empty journal is no error");
  for (let seq = 1; seq <= 5; seq++) await journal.append(seq, bytes("x"));
  await journal.trim(3);
  t.strictSame(all(journal, 1), ["4 x", "5 x"], "trim drops all up to and including its number");
  await journal.trim(3);
  t.strictSame(all(journal, 1), ["4 x", "5 x"]);
  await journal.append(6, bytes("x"));
  await journal.trim(9);
  t.strictSame(all(journal, 1), []);
  await journal.append(10, bytes("x"));
  t.strictSame(all(journal, 1), ["10 x"], "a trimmed journal goes on");
}

t.test("what was appended is there for the next one who opens it", async (t) => {
  const path = `${t.testdir()}/journal`;
  const first = openJournal(path);
  await first.append(1, bytes("one"));
  await first.append(2, bytes("two"));
  await first.trim(1);
  await first.close();
  const second = openJournal(path);
  t.strictSame(all(second, 2), ["2 two"]);
  await t.rejects(second.append(2, bytes("again")), { name: "PortError" });
  await second.close();
});

t.test("a folder that cannot be used is a PortError", async (t) => {
  const root = t.testdir({ file: "in the way" });
  t.throws(() => openJournal(`${root}/file/journal`), { name: "PortError", retryable: false });
});

function bytes(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text));
}

function all(journal: Journal, seq: number): string[] {
  return [...journal.from(seq)].map(({ seq, record }) => `${seq} ${Buffer.from(record)}`);
}
