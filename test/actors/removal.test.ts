import t from "tap";
import { removalActor } from "../../actors/asset/removal-actor.ts";
import { assetKey } from "../../actors/protocol/asset.ts";
import { createRemovedObjectsKey, removalKey } from "../../actors/protocol/removal.ts";
import { limits } from "../../config/limits.ts";
import { put } from "../../engine/actor.ts";
import { job, nowMs, scope, view } from "./accounts.ts";

const { decide, dueAt, resume } = removalActor;
const self = removalKey(assetKey(scope, job), "media");
const rowKey = createRemovedObjectsKey(self);
const keys = ["jobs/one", "jobs/two"];
const effects = [{ kind: "objects.remove", keys }];
const hourMs = 3_600_000;

t.test("bytes of removed assets stand until the store has removed them", async (t) => {
  const first = decide(undefined, { kind: "remove", keys }, view(self, {}, nowMs));
  t.strictSame(first.rows, [put(rowKey, keys)]);
  t.strictSame(first.effects, effects);
  const { head } = first;
  if (head === undefined) return t.fail("nothing stands");
  const later = view(self, { [rowKey]: keys }, nowMs + hourMs);
  t.strictSame(resume?.(head, later), effects, "a crash loses no removal");
  t.equal(dueAt(head), nowMs + hourMs);
  const again = decide(head, { kind: "due" }, later);
  t.strictSame([again.head, again.effects], [{ againMs: nowMs + 2 * hourMs }, effects]);
  const early = decide(head, { kind: "due" }, view(self, { [rowKey]: keys }, nowMs + 5));
  t.strictSame([early.head, early.effects], [head, []]);
  const over = decide(head, { kind: "removed" }, later);
  t.strictSame([over.head, over.rows], [undefined, [{ key: rowKey, value: undefined }]]);
  return undefined;
});

t.test("what is reserved is removed when its time is over, and not by a restart", async (t) => {
  const {
    head,
    rows,
    effects: now,
  } = decide(undefined, { kind: "reserve", keys }, view(self, {}, nowMs));
  const untilMs = nowMs + limits.compositions.reservedMs;
  t.strictSame(
    [head, rows, now],
    [{ againMs: untilMs, isReserved: true }, [put(rowKey, keys)], []],
  );
  if (head === undefined) return t.fail("nothing stands");
  const at = (atMs: number) => view(self, { [rowKey]: keys }, atMs);
  t.strictSame(resume?.(head, at(nowMs)), []);
  t.strictSame(decide(head, { kind: "due" }, at(untilMs - 1)).effects, []);
  const due = decide(head, { kind: "due" }, at(untilMs));
  t.strictSame([due.head, due.effects], [{ againMs: untilMs + hourMs }, effects]);
  const taken = decide(head, { kind: "removed" }, at(nowMs));
  t.strictSame([taken.head, taken.effects], [undefined, []]);
  return undefined;
});

t.test("the parts and the media of one asset are removed apart", async (t) => {
  const asset = assetKey(scope, job);
  t.not(removalKey(asset, "parts"), removalKey(asset, "media"));
});
