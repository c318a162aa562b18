import {
  closeSync,
  copyFileSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import t from "tap";
import { openJournal } from "../../engine/adapters/file-journal.ts";
import type { Journal } from "../../engine/ports/journal.ts";

const megabyte = 1024 * 1024;

t.test("an append that was cut short is not there, and its number is free", async (t) => {
  for (const whole of [0, 1, 2]) {
    const path = t.testdir();
    const seqs = Array.from({ length: whole }, (_, at) => at + 1);
    await fill(path, [...seqs, whole + 1]);
    damage(onlySegment(path), whole);
    // The first append to a file is acknowledged only after the file is listed.
    if (whole === 0) rmSync(join(path, "segments.json"));

    const journal = openJournal(path);
    t.strictSame(readSeqs(journal, 1), seqs);
    await journal.append(whole + 1, record(77));
    t.strictSame(readSeqs(journal, 1), [...seqs, whole + 1]);
    await journal.close();
    const next = openJournal(path);
    t.strictSame(readSeqs(next, 1), [...seqs, whole + 1]);
    t.equal([...next.from(whole + 1)][0]?.record[0], 77, "the later one counts");
    await next.close();
  }
});

t.test("damage before the last record is told when it is needed, and passed if not", async (t) => {
  for (const at of [0, 1]) {
    const path = t.testdir();
    await fill(path, [1, 2, 3]);
    damage(onlySegment(path), at);
    const passed: string[] = [];
    const journal = openJournal(path, (sentence) => passed.push(sentence));
    const lost = `record ${at + 1} is lost`;
    const refusal = { name: "StoreDamage", message: new RegExp(`1.segment is damaged, ${lost}`) };
    if (at === 1) t.throws(() => readSeqs(journal, 2), refusal);
    else
      t.throws(() => readSeqs(journal, 1), {
        name: "StoreDamage",
        message: /1.segment is missing, wiped/,
      });
    t.strictSame(passed, []);
    t.strictSame(readSeqs(journal, 3), [3]);
    t.match(passed, [new RegExp(`damaged before record ${at + 2}`)]);
    await journal.append(4, record(4));
    t.strictSame(readSeqs(journal, 3), [3, 4], "it goes on");
    await journal.close();
  }
});

t.test("a file from which records were acknowledged is missed", async (t) => {
  const megabytes = async (path: string) => {
    const journal = openJournal(path);
    for (let seq = 1; seq <= 10; seq++) await journal.append(seq, record(seq, megabyte));
    await journal.close();
    return segments(path).find((file) => firstSeq(file) === 10) ?? "";
  };
  const harms: Record<string, (file: string) => void> = {
    deleted: rmSync,
    zeroed: (file) => writeFileSync(file, new Uint8Array(4 * megabyte)),
    "cut short": (file) => truncateSync(file, megabyte),
    damaged: (file) => damage(file, 0),
  };
  for (const [name, harm] of Object.entries(harms)) {
    const path = t.testdir();
    harm(await megabytes(path));
    const next = openJournal(path);
    const refusal = { name: "StoreDamage", message: /with it record 10 and all after it/ };
    t.throws(() => readSeqs(next, 5), refusal, name);
    await next.close();
  }
});

t.test("a journal that ends before the tables, or has no list, is told", async (t) => {
  const path = t.testdir();
  await fill(path, [1, 2, 3]);
  const behind = openJournal(path);
  t.throws(() => readSeqs(behind, 6), { message: /ends at record 3, but the tables are at 5/ });
  await behind.close();
  rmSync(join(path, "segments.json"));
  const unlisted = openJournal(path);
  t.throws(() => readSeqs(unlisted, 2), { message: /segments.json is missing/ });
  await unlisted.close();
  writeFileSync(join(path, "segments.json"), "[{");
  t.throws(() => openJournal(path), { name: "StoreDamage", message: /cannot be read/ });
});

t.test("a file that was used again before the list said so is not missed", async (t) => {
  const path = t.testdir();
  const [list, kept] = [join(path, "segments.json"), join(t.testdirName, "kept.json")];
  const journal = openJournal(path);
  for (let seq = 1; seq <= 9; seq++) {
    await journal.append(seq, record(seq, megabyte));
    await journal.trim(seq - 4);
  }
  copyFileSync(list, kept);
  await journal.append(10, record(10, megabyte));
  await journal.close();
  copyFileSync(kept, list);
  const next = openJournal(path);
  t.strictSame(readSeqs(next, 7), [7, 8, 9, 10]);
  await next.close();
});

t.test("files are used again once their records are needed no more", async (t) => {
  const path = t.testdir();
  let journal = openJournal(path);
  for (let seq = 1; seq <= 60; seq++) {
    await journal.append(seq, record(seq, megabyte));
    if (seq % 6 === 0) await journal.trim(seq - 3);
    if (seq % 25 !== 0) continue;
    await journal.close();
    journal = openJournal(path);
    await journal.trim(seq - 3);
  }
  t.strictSame(readSeqs(journal, 58), [58, 59, 60]);
  t.ok(readdirSync(path).length <= 7, "60 MB went through a few files of 4 MB");
  for (const { seq, record: found } of journal.from(58))
    t.ok(Buffer.from(found).equals(record(seq, megabyte)), "and came out as they went in");
  await journal.close();
});

t.test("an append into a used file that was cut short leaves what came before", async (t) => {
  const path = t.testdir();
  const journal = openJournal(path);
  for (let seq = 1; seq <= 9; seq++) {
    await journal.append(seq, record(seq, megabyte));
    await journal.trim(seq - 4);
  }
  const [list, kept] = [join(path, "segments.json"), join(path, "kept.json")];
  copyFileSync(list, kept);
  await journal.append(10, record(10, megabyte));
  await journal.close();
  copyFileSync(kept, list);
  const used = segments(path).find((file) => firstSeq(file) === 10) ?? "";
  damage(used, 0);
  const after = openJournal(path);
  t.strictSame(readSeqs(after, 7), [7, 8, 9]);
  await after.close();
});

t.test("a file whose first append was cut short stands in nobody's way", async (t) => {
  const path = t.testdir();
  const [list, kept] = [join(path, "segments.json"), join(path, "kept.json")];
  const first = openJournal(path);
  for (let seq = 1; seq <= 10; seq++) {
    if (seq === 10) copyFileSync(list, kept);
    await first.append(seq, record(seq, megabyte));
  }
  await first.close();
  copyFileSync(kept, list);
  damage(segments(path).find((file) => firstSeq(file) === 10) ?? "", 0);
  const second = openJournal(path);
  await second.trim(9);
  for (let seq = 10; seq <= 13; seq++) await second.append(seq, record(seq, megabyte));
  await second.close();
  const third = openJournal(path);
  t.strictSame(readSeqs(third, 11), [11, 12, 13]);
  await third.close();
});

t.test("a journal that restarts forgets all, even records of higher numbers", async (t) => {
  const path = t.testdir();
  const first = openJournal(path);
  for (let seq = 1; seq <= 10; seq++) await first.append(seq, record(seq, megabyte));
  await first.trim(6);
  await first.restart(4);
  t.strictSame(readSeqs(first, 5), []);
  await first.close();
  const second = openJournal(path);
  t.strictSame(readSeqs(second, 5), [], "it is whole without a record");
  await t.rejects(second.append(4, record(4)), { name: "PortError" });
  for (let seq = 5; seq <= 7; seq++) await second.append(seq, record(seq, megabyte));
  await second.close();
  const third = openJournal(path);
  t.strictSame(readSeqs(third, 1), [5, 6, 7]);
  t.throws(() => readSeqs(third, 9), /the journal ends at record 7, but the tables are at 8/);
  await third.close();
});

async function fill(path: string, seqs: readonly number[]): Promise<void> {
  const journal = openJournal(path);
  for (const seq of seqs) await journal.append(seq, record(seq));
  await journal.close();
}

function record(seq: number, length = 100): Uint8Array {
  return new Uint8Array(length).fill(seq);
}

function readSeqs(journal: Journal, seq: number): number[] {
  return [...journal.from(seq)].map((entry) => entry.seq);
}

function segments(path: string): string[] {
  const names = readdirSync(path).filter((name) => name.endsWith(".segment"));
  return names.map((name) => join(path, name));
}

function onlySegment(path: string): string {
  const [file, ...more] = segments(path);
  if (file === undefined || more.length > 0) throw new Error("one segment was expected");
  return file;
}

function firstSeq(file: string): number {
  const head = Buffer.alloc(24);
  const fd = openSync(file, "r");
  readSync(fd, head, 0, 24, 0);
  closeSync(fd);
  return head.readDoubleLE(16);
}

/** Writes zeros into the record that begins on page `page`. */
function damage(file: string, page: number): void {
  const fd = openSync(file, "r+");
  writeSync(fd, Buffer.alloc(16), 0, 16, page * 4096 + 60);
  closeSync(fd);
}
