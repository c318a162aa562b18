/** Steps that tests about share links have in common. */
import type { Test } from "tap";
import type { ShareLink, ShareResolution } from "../../contract/share.ts";
import { invariant } from "../../engine/invariant.ts";
import type { Caller, Headers, Refused, Reply } from "./caller.ts";
import { make, page } from "./composition-steps.ts";
import { type InProcess, type InProcessOptions, openInProcess } from "./in-process-service.ts";
import { film, submit } from "./render-steps.ts";

/** The only answer that has a link's token and address. */
export type MadeLink = ShareLink & { readonly token: string; readonly url: string };

export const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/** A caller with a picture. */
export async function withPicture(t: Test, options: InProcessOptions = {}) {
  const house = await openInProcess(t, options);
  const ada = await house.account();
  return { house, ada, asset: await picture(house, ada) };
}

export async function picture(house: InProcess, maker: Caller, prompt = "a kite") {
  const { id } = await maker.job(prompt);
  await house.settle();
  const { asset } = await maker.read(id);
  invariant(asset !== undefined, "the job has an asset");
  return asset.id;
}

/** Makes a render that has succeeded, of a composition with that name. */
export async function readFilm(house: InProcess, maker: Caller, name = "Harbor") {
  const composition = await make(maker, { "index.html": page() });
  await maker.patch(`/v1/compositions/${composition}`, { name });
  const { json } = await submit(maker, composition);
  const node = house.farmNode(8);
  await house.settle();
  const task = node.leases.find(({ outputPrefix }) => outputPrefix.includes(json.id));
  await node.render(film, task);
  await house.settle();
  node.die();
  return { composition, render: json.id };
}

export async function share(maker: Caller, asset: string, body: object = {}): Promise<MadeLink> {
  const { status, json, text } = await shareAt(maker, `/v1/assets/${asset}/share`, body);
  invariant(status === 201, `the link was made: ${text}`);
  return json;
}

export function shareAt(maker: Caller, path: string, body: object = {}): Promise<Reply<MadeLink>> {
  return maker.post<MadeLink>(path, body);
}

/** Opens a share link as a stranger, and returns the answer. */
export function open<T = ShareResolution & Refused>(
  { stranger }: InProcess,
  { token }: Pick<MadeLink, "token">,
  headers: Headers = {},
  address = "192.0.2.1",
): Promise<Reply<T>> {
  return stranger.request<T>("GET", `/v1/share/${token}`, { headers, address });
}
