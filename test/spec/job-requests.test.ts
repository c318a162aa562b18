import t from "tap";
import type { Job } from "../../contract/job.ts";
import type { OutputSet } from "../../contract/set.ts";
import { imagePath } from "./caller.ts";
import { openInProcess } from "./in-process-service.ts";

t.test("E6: a job shows the request that was accepted, after defaulting", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const body = { model: "sim-instant", prompt: " a kite\n\tover  the sea sim:fail ", seed: 7 };
  const naming = { display_name: "Kite", tags: ["sky"] };
  const { json: accepted } = await ada.post<Job>(imagePath, { ...body, ...naming });
  t.notOk(Object.hasOwn(accepted, "request"), "the answer to a submit is no detail");
  t.equal(accepted.summary, "a kite over the sea sim:fail");
  const request = {
    model: "sim-instant",
    prompt: "a kite\n\tover  the sea sim:fail",
    aspect_ratio: "1:1",
    resolution: "1k",
    seed: 7,
    num_images: 1,
    output_format: "png",
    enhance_prompt: false,
  };
  t.strictSame((await ada.read(accepted.id)).request, request);
  await house.settle();
  const failed = await ada.read(accepted.id);
  t.match(failed, { status: "failed", summary: "a kite over the sea sim:fail", request });
  const { json: page } = await ada.get<{ items: Job[] }>("/v1/jobs");
  t.equal(page.items[0]?.summary, "a kite over the sea sim:fail");
  t.notOk(Object.hasOwn(page.items[0] ?? {}, "request"), "lists have its first line only");
});

t.test("E6: a summary ends after 120 characters, none of them cut in half", async (t) => {
  const ada = await (await openInProcess(t)).account();
  const job = await ada.job("\u{1FA81}".repeat(200));
  t.equal(job.summary, "\u{1FA81}".repeat(120));
});

t.test("E6: members of a set carry their own requests", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { json: set } = await ada.post<OutputSet>("/v1/generate/set", {
    base: { model: "sim-instant", prompt: "a kite", tags: ["sky"] },
    members: [
      { label: "red", prompt_suffix: "in red" },
      { label: "wide", overrides: { seed: 3 } },
    ],
  });
  const ids = set.members.map(({ job_id }) => job_id ?? "");
  const jobs = await Promise.all(ids.map((id) => ada.read(id)));
  t.match(jobs, [
    { summary: "a kite in red", request: { model: "sim-instant", prompt: "a kite in red" } },
    { summary: "a kite", request: { model: "sim-instant", prompt: "a kite", seed: 3 } },
  ]);
});

t.test("E6: work without a prompt is named by its source, and is gone when deleted", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "studio" });
  const film = { model: "sim-video", prompt: "a film", display_name: "Rushes" };
  const { json: made } = await ada.post<Job>("/v1/generate/video", film);
  await house.advance(60_000);
  const source_asset_id = (await ada.read(made.id)).asset?.id ?? "";
  const removal = { model: "sim-video", source_asset_id };
  const { json: job } = await ada.post<Job>("/v1/remove-background/video", removal);
  await house.advance(60_000);
  t.match(await ada.read(job.id), {
    summary: "Rushes",
    request: { ...removal, background: "transparent", output_format: "webm" },
  });
  t.equal((await ada.delete(`/v1/jobs/${job.id}`)).status, 204);
  t.equal((await ada.get(`/v1/jobs/${job.id}`)).status, 404);
});
