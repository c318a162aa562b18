/** Tests that edits are stored in order, never over another person's, and kept when that fails. */
import t from "tap";
import { deleteClip } from "../../console/studio/clip-edits.ts";
import { EditSession } from "../../console/studio/edit-session.ts";
import type { Edits } from "../../console/studio/edits-document.ts";
import type { StoredEdits, StudioSource } from "../../console/studio/studio-source.ts";

const never = new AbortController().signal;

/** A source with a single file, in memory. */
class MemorySource implements StudioSource {
  stored: StoredEdits | undefined;
  fault: Error | undefined;
  readonly texts: (string | undefined)[] = [];
  private version = 0;

  async timeline() {
    return { frame_rate: 30, duration_seconds: 10, clips: [], diagnostics: [] };
  }

  async preview() {
    return "/preview";
  }

  async edits() {
    return this.stored;
  }

  put(text: string | undefined): void {
    this.version += 1;
    this.stored = text === undefined ? undefined : { text, etag: `"${this.version}"` };
  }

  async saveEdits(text: string | undefined, etag: string | undefined) {
    if (this.fault !== undefined) throw this.fault;
    if (etag !== this.stored?.etag) return { kind: "conflict" } as const;
    this.put(text);
    this.texts.push(text);
    return { kind: "saved", etag: this.stored?.etag } as const;
  }
}

function takeOut(id: string) {
  const clip = { id, isText: false, start: 0, end: 1, lane: 0, mediaStart: undefined, rate: 1 };
  return (edits: Edits) => deleteClip(edits, clip);
}

async function open(text?: string) {
  const source = new MemorySource();
  source.put(text);
  const session = new EditSession({ source, onSaved: () => {} });
  await session.read(never);
  return { source, session };
}

function deleteRows({ stored }: MemorySource): unknown {
  return stored === undefined ? undefined : JSON.parse(stored.text).deleted;
}

t.test("edits that follow each other are stored together, then the next", async (t) => {
  const { source, session } = await open();
  session.edit(takeOut("a"));
  session.edit(takeOut("b"));
  t.equal(session.standing.value.phase, "storing");
  const storing = session.flush();
  session.edit(takeOut("c"));
  await storing;
  t.equal(session.standing.value.phase, "stored");
  t.strictSame(deleteRows(source), ["a", "b", "c"]);
  t.equal(source.texts.length, 2);
});

t.test("undo stores every byte of what was there, or removes the file", async (t) => {
  const text = ` {"version":1, "deleted":["z"]} `;
  const { source, session } = await open(text);
  session.edit(takeOut("a"));
  await session.flush();
  session.undo();
  await session.flush();
  t.equal(source.stored?.text, text);
  const other = await open();
  other.session.edit(takeOut("a"));
  await other.session.flush();
  other.session.undo();
  await other.session.flush();
  t.equal(other.source.stored, undefined);
  other.session.redo();
  await other.session.flush();
  t.strictSame(deleteRows(other.source), ["a"]);
});

t.test("what could not be stored stays, and is stored on the next try", async (t) => {
  const { source, session } = await open();
  source.fault = new Error("Nothing answers.");
  session.edit(takeOut("a"));
  await session.flush();
  t.strictSame(session.standing.value, { phase: "failed", sentence: "Nothing answers." });
  await session.read(never);
  t.match(session.edits.value, { edits: { deleted: ["a"] } }, "reading again does not undo it");
  source.fault = undefined;
  await session.flush();
  t.strictSame(deleteRows(source), ["a"]);
});

t.test("another's edits are not written over; undo brings back one's own", async (t) => {
  const { source, session } = await open();
  const theirs = `{"version":1,"deleted":["theirs"]}`;
  source.put(theirs);
  session.edit(takeOut("mine"));
  await session.flush();
  t.equal(session.standing.value.phase, "conflict");
  t.equal(source.stored?.text, theirs);
  await session.takeTheirs();
  t.equal(session.standing.value.phase, "stored");
  t.match(session.edits.value, { edits: { deleted: ["theirs"] } });
  session.undo();
  await session.flush();
  t.strictSame(deleteRows(source), ["mine"]);
});

t.test("what another stores is taken over while nothing of one's own waits", async (t) => {
  const { source, session } = await open();
  source.put(`{"version":1,"deleted":["theirs"]}`);
  await session.read(never);
  t.match(session.edits.value, { edits: { deleted: ["theirs"] } });
  t.equal(session.standing.value.phase, "stored");
});

t.test("a file that cannot be read is not edited, and can be done without", async (t) => {
  const { source, session } = await open("{");
  session.edit(takeOut("a"));
  await session.flush();
  t.equal(source.stored?.text, "{");
  session.startAnew();
  await session.flush();
  t.equal(source.stored, undefined);
  session.undo();
  await session.flush();
  t.equal(source.stored?.text, "{", "undo brings it back");
});
