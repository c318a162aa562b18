import t from "tap";
import { assetActor } from "../../actors/asset/asset-actor.ts";
import { assetKey, type ProcessingAsset } from "../../actors/protocol/asset.ts";
import { job, nowMs, scope, user, view } from "./accounts.ts";

const self = assetKey(scope, job);
const hourMs = 3_600_000;

const asset: ProcessingAsset = {
  phase: "processing",
  id: job,
  scope,
  createdAtMs: nowMs,
  origin: { filename: "a.mp4", user },
  bytes: { objectKey: "uploads/a", mimeType: "video/mp4", sizeBytes: 9, sha256: "00" },
  attempts: 0,
};

t.test("a crash loses no probe: an asset that is processing waits for one", async (t) => {
  t.equal(assetActor.dueAt(asset), nowMs + hourMs);
  t.match(assetActor.resume?.(asset, view(self)), [
    { kind: "farm.run", task: { kind: "probe", input: { source: { objectKey: "uploads/a" } } } },
  ]);
});

t.test("a file that nobody read in time has failed, with the reason", async (t) => {
  const early = assetActor.decide(asset, { kind: "due" }, view(self, {}, nowMs + hourMs - 1));
  t.equal(early.head, asset);
  const late = assetActor.decide(asset, { kind: "due" }, view(self, {}, nowMs + hourMs));
  t.match(late.head, { phase: "failed", reason: "The file could not be read in time." });
  t.match(late.effects.at(-1), { kind: "farm.cancel" });
});
