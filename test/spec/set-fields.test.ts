import t from "tap";
import type { OutputSet } from "../../contract/set.ts";
import type { Caller, Refused } from "./caller.ts";
import { openInProcess } from "./in-process-service.ts";

const base = { model: "sim-instant", prompt: "a kite" };
const path = "/v1/generate/set";

function members(count: number) {
  return Array.from({ length: count }, (_, at) => ({ label: `m${at}`, prompt: `kite ${at}` }));
}

async function refuse(ada: Caller, body: object): Promise<readonly (string | number)[]> {
  const { status, json } = await ada.post<Refused>(path, body);
  return [status, ...(json.errors ?? []).map(({ pointer }) => pointer)];
}

t.test("members are 1 to 24, a label is 1 to 64 characters", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "studio" });
  t.equal((await ada.post(path, { base, members: members(24) })).status, 202);
  t.strictSame(await refuse(ada, { base, members: members(25) }), [400, "/members"]);
  t.strictSame(await refuse(ada, { base, members: [] }), [400, "/members"]);
  for (const label of ["", "x".repeat(65)])
    t.strictSame(await refuse(ada, { base, members: [{ label }] }), [400, "/members/0/label"]);
});

t.test("name is 1 to 120 characters; default Set <created_at>", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { json } = await ada.post<OutputSet>(path, { base, members: members(1) });
  t.equal(json.name, `Set ${json.created_at}`);
  const named = { base, members: members(1), name: "x".repeat(120) };
  t.equal((await ada.post<OutputSet>(path, named)).json.name, named.name);
  for (const name of ["", "x".repeat(121)])
    t.strictSame(await refuse(ada, { ...named, name }), [400, "/name"]);
});

t.test("num_images and confirmation_token are not allowed inside", async (t) => {
  const ada = await (await openInProcess(t)).account();
  for (const more of [{ num_images: 2 }, { confirmation_token: "x" }]) {
    const [name] = Object.keys(more);
    const inBase = { base: { ...base, ...more }, members: members(1) };
    t.strictSame(await refuse(ada, inBase), [400, `/base/${name}`]);
    const inOverrides = { base, members: [{ label: "a", overrides: more }] };
    t.strictSame(await refuse(ada, inOverrides), [400, `/members/0/overrides/${name}`]);
  }
  const model = { base, members: [{ label: "a", overrides: { model: "sim-instant" } }] };
  t.strictSame(await refuse(ada, model), [400, "/members/0/overrides/model"]);
});

t.test("a member's prompt replaces the base's, a suffix follows it, overrides apply", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "studio" });
  const { json } = await ada.post<OutputSet>(path, {
    base,
    members: [
      { label: "plain" },
      { label: "own", prompt: "a boat" },
      { label: "longer", prompt_suffix: "at dusk" },
      { label: "named", overrides: { display_name: "Mine", tags: ["x"] } },
    ],
  });
  await house.settle();
  const { json: set } = await ada.get<OutputSet>(`/v1/sets/${json.id}`);
  t.strictSame(
    set.members.map(({ asset }) => asset?.prompt),
    ["a kite", "a boat", "a kite at dusk", "a kite"],
  );
  t.match(set.members[3]?.asset, { display_name: "Mine", tags: ["x"] });
});
