import t from "tap";
import type { Static } from "../../config/schema.ts";
import type { AgentSession, AgentTurn } from "../../contract/agent.ts";
import type { Job, JobPage } from "../../contract/job.ts";
import { Caller } from "./caller.ts";
import { type InProcess, openInProcess } from "./in-process-service.ts";
import { enter, foundPaidOrganization, join } from "./organizations.ts";

type Page = Static<typeof JobPage>;
type Filters = Readonly<Record<string, string>>;

/** Makes an agent that works for `ada`, and its session. */
async function createAgent(house: InProcess, ada: Caller) {
  const { json: session } = await ada.post<AgentSession>("/v1/agent/sessions", {});
  const path = `/v1/agent/sessions/${session.id}/turns`;
  const { json: turn } = await ada.post<AgentTurn>(path, { brief: "Draw" });
  return { session: session.id, agent: new Caller(house.api, turn.credential ?? "", ada.id) };
}

function hasAll(job: Job, tags: readonly string[], filters: Filters): boolean {
  const { status, model, tag, modality, agent_session_id: session } = filters;
  return (
    (status === undefined || status.split(",").includes(job.status)) &&
    (modality === undefined || job.modality === modality) &&
    (model === undefined || job.model === model) &&
    (tag === undefined || tags.includes(tag)) &&
    (session === undefined || job.agent_session_id === session)
  );
}

function* combinations(values: Readonly<Record<string, readonly string[]>>): Generator<Filters> {
  const [first, ...rest] = Object.entries(values);
  if (first === undefined) {
    yield {};
    return;
  }
  for (const more of combinations(Object.fromEntries(rest))) {
    yield more;
    for (const value of first[1]) yield { [first[0]]: value, ...more };
  }
}

async function list(caller: Caller, filters: Filters): Promise<string[]> {
  const query = new URLSearchParams({ limit: "100", ...filters });
  return (await caller.get<Page>(`/v1/jobs?${query}`)).json.items.map(({ id }) => id);
}

t.test("filters of a listing combine, whatever their combination", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "enterprise", credits: 1000 });
  const { session, agent } = await createAgent(house, ada);
  const jobs: { readonly id: string; readonly tags: readonly string[] }[] = [];
  for (const caller of [ada, agent])
    for (const tags of [[], ["sky"], ["sky", "wind"]])
      for (const prompt of ["one", "sim:fail", "sim:queue=9000000"])
        for (const model of ["sim-instant", "sim-inline"])
          if (model !== "sim-inline" || prompt === "one")
            jobs.push({
              id: (await caller.job(`${prompt} ${jobs.length}`, { tags, model })).id,
              tags,
            });
  await house.settle();
  const all = await Promise.all(
    jobs.map(async ({ id, tags }) => ({ tags, job: await ada.read(id) })),
  );
  const values = {
    status: ["succeeded", "failed", "queued", "running,failed"],
    modality: ["image", "audio"],
    model: ["sim-instant", "unheard-of"],
    tag: ["sky", "wind", "rain"],
    agent_session_id: [session],
  };
  for (const filters of combinations(values)) {
    const wanted = all.filter(({ job, tags }) => hasAll(job, tags, filters));
    const ids = wanted.map(({ job }) => job.id).reverse();
    t.strictSame(await list(ada, filters), ids, JSON.stringify(filters));
  }
});

t.test("a listing reads no job that its filters do not want", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "enterprise", credits: 1000 });
  for (let n = 0; n < 40; n++) await ada.job(`kite ${n}`, { tags: ["sky"] });
  const failed = (await ada.job("sim:fail", { tags: ["sky"] })).id;
  await house.settle();
  const { jobs } = house.service;
  let looked = 0;
  const lookAt = jobs.lookAt.bind(jobs);
  jobs.lookAt = (...of) => {
    looked++;
    return lookAt(...of);
  };
  t.strictSame(await list(ada, { tag: "sky", status: "failed" }), [failed]);
  t.equal(looked, 1);
  t.strictSame(await list(ada, { tag: "sky", status: "canceled" }), []);
  t.strictSame(await list(ada, { tag: "sky", model: "studio-image" }), []);
  t.equal(looked, 1);
});

t.test("a tag finds a member's own jobs, or the organization's", async (t) => {
  const house = await openInProcess(t);
  const [ada, bob] = [await house.account(), await house.account()];
  const org = await foundPaidOrganization(house, ada);
  await join(ada, org, bob, "member");
  await enter(ada, org);
  await enter(bob, org);
  const one = (await ada.job("of the owner", { tags: ["sky"] })).id;
  const two = (await bob.job("of the member", { tags: ["sky"] })).id;
  await house.settle();
  t.strictSame(await list(bob, { tag: "sky" }), [two]);
  t.strictSame(await list(bob, { tag: "sky", scope: "organization" }), [two, one]);
  t.equal((await bob.delete(`/v1/jobs/${two}`)).status, 204);
  await house.settle();
  t.strictSame(await list(bob, { tag: "sky", scope: "organization" }), [one]);
});
