/** Objects that routes name, each made anew by a member of an organization. */
import type { AgentSession, AgentTurn } from "../../contract/agent.ts";
import type { Organization, Role } from "../../contract/organization.ts";
import type { CreatedToken } from "../../contract/token.ts";
import type { Upload } from "../../contract/upload.ts";
import { invariant } from "../../engine/invariant.ts";
import { simulatedMedia } from "../../providers/simulated/simulated-media.ts";
import type { Caller } from "./caller.ts";
import type { FarmDouble } from "./farm-double.ts";
import type { InProcess } from "./in-process-service.ts";
import { join, organization } from "./organizations.ts";
import { readFilm } from "./share-steps.ts";

/** Ids for a path, one for each pair of braces. */
export type Ids = readonly string[];

export interface Stage {
  readonly house: InProcess;
  readonly org: Organization;
  readonly maker: Caller;
  readonly makerRole: Role;
  readonly outsider: Caller;
  readonly as: (role: Role) => Caller;
}

const picture = simulatedMedia.image.bytes;
const sessions = "/v1/agent/sessions";
let made = 0;

export const kits = {
  job: async ({ house, maker }: Stage) => {
    const { id } = await maker.job(`kite ${++made}`);
    await house.settle();
    return [id];
  },
  slowJob: async ({ maker }: Stage) => [(await maker.job(`kite ${++made} sim:slow=9999999`)).id],
  set: async ({ maker }: Stage) => {
    const members = [{ label: "a", prompt: `kite ${++made} sim:slow=9999999` }];
    return [await readId(maker, "/v1/generate/set", { base: { model: "sim-instant" }, members })];
  },
  asset: async (stage: Stage) => [await makeAsset(stage)],
  trashedAsset: async (stage: Stage) => {
    const id = await makeAsset(stage);
    await stage.maker.delete(`/v1/assets/${id}`);
    return [id];
  },
  upload: async ({ maker }: Stage) => [(await makeUpload(maker)).id],
  storedUpload: async ({ house, maker }: Stage) => {
    const { id, url = "" } = await makeUpload(maker);
    const { status } = await house.stranger.request("PUT", url, { body: picture });
    invariant(status === 200, "the bytes were stored");
    return [id];
  },
  model: async () => ["sim-instant"],
  provider: async () => ["fal"],
  node: async ({ house }: Stage) => {
    house.farmNode();
    return ["double"];
  },
  /** Makes a task whose farm node has sent a picture of it. */
  task: async ({ house, maker }: Stage) => {
    const farm = findFarm(house);
    const body = { model: "studio-image", prompt: `kite ${++made}` };
    const id = await readId(maker, "/v1/generate/image", body);
    await house.settle();
    farm.show(picture, 0.5);
    await house.settle();
    return [id];
  },
  organization: async (stage: Stage) => [(await findOrganization(stage)).id],
  member: async (stage: Stage) => [(await findOrganization(stage)).id, stage.maker.id],
  token: async ({ maker }: Stage) => {
    return [(await maker.post<CreatedToken>("/v1/tokens", { name: `token ${++made}` })).json.id];
  },
  client: async ({ maker }: Stage) => {
    const body = { name: `client ${++made}`, scopes: ["jobs:read"] };
    return [(await maker.post<{ client_id: string }>("/v1/oauth/clients", body)).json.client_id];
  },
  session: async ({ maker }: Stage) => [(await makeSession(maker)).id],
  sessionOfTurn: async ({ maker }: Stage) => [(await makeTurn(maker)).session_id],
  turn: async ({ maker }: Stage) => {
    const { session_id: session, id } = await makeTurn(maker);
    return [session, id];
  },
  composition: async ({ maker }: Stage) => [await findComposition(maker)],
  render: async ({ maker }: Stage) => {
    return [await readId(maker, `/v1/compositions/${await findComposition(maker)}/render`, {})];
  },
  sharedAsset: async (stage: Stage) => {
    const id = await makeAsset(stage);
    return [id, await readId(stage.maker, `/v1/assets/${id}/share`, {})];
  },
  film: async (stage: Stage) => [(await readFilm(stage.house, stage.maker)).render],
  sharedFilm: async ({ house, maker }: Stage) => {
    const { render } = await readFilm(house, maker);
    return [render, await readId(maker, `/v1/renders/${render}/share`, {})];
  },
  account: async ({ house }: Stage) => [(await house.account()).id],
} satisfies Readonly<Record<string, (stage: Stage) => Promise<Ids>>>;

const farms = new WeakMap<InProcess, FarmDouble>();

/** Returns the house's farm node, with room for all of one owner's tasks. */
function findFarm(house: InProcess): FarmDouble {
  const farm = farms.get(house) ?? house.farmNode(64);
  farms.set(house, farm);
  return farm;
}

async function readId(maker: Caller, path: string, body: object): Promise<string> {
  const { json, text } = await maker.post<{ id: string }>(path, body);
  invariant(json.id !== undefined, `it was made: ${text}`);
  return json.id;
}

async function makeAsset(stage: Stage): Promise<string> {
  const [job = ""] = await kits.job(stage);
  const asset = (await stage.maker.read(job)).asset;
  invariant(asset !== undefined, "the job has an asset");
  return asset.id;
}

/** Makes a composition with a page and a file. */
async function findComposition(maker: Caller): Promise<string> {
  const id = await readId(maker, "/v1/compositions", { template: "blank_html" });
  await maker.request("PUT", `/v1/compositions/${id}/file?path=a.txt`, { body: "kite" });
  return id;
}

async function makeUpload(maker: Caller): Promise<Upload> {
  const body = { filename: "a.png", mime_type: "image/png", size_bytes: picture.length };
  return (await maker.post<Upload>("/v1/assets/uploads", body)).json;
}

/** Makes a second organization with the same people in it, so that each may end it. */
async function findOrganization({ as, maker, makerRole }: Stage): Promise<Organization> {
  const owner = as("owner");
  const org = await organization(owner, `Kites ${++made}`);
  for (const role of ["admin", "member", "viewer", "billing_contact"] as const)
    await join(owner, org, as(role), role);
  await join(owner, org, maker, makerRole);
  return org;
}

async function makeSession(maker: Caller): Promise<AgentSession> {
  return (await maker.post<AgentSession>(sessions, { title: `Film ${++made}` })).json;
}

async function makeTurn(maker: Caller): Promise<AgentTurn> {
  const { id } = await makeSession(maker);
  return (await maker.post<AgentTurn>(`${sessions}/${id}/turns`, { brief: "Draw" })).json;
}
