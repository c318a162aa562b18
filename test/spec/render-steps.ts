/** Steps that tests about renders share. */
import type { Test } from "tap";
import type { Render } from "../../contract/render.ts";
import { invariant } from "../../engine/invariant.ts";
import type { Caller, Headers, Reply } from "./caller.ts";
import { make, page } from "./composition-steps.ts";
import { type InProcess, openInProcess } from "./in-process-service.ts";

export const film = { mimeType: "video/mp4", width: 320, height: 180 };

export function submit<T = Render>(
  caller: Caller,
  id: string,
  body: object = {},
  headers: Headers = {},
): Promise<Reply<T>> {
  return caller.post<T>(`/v1/compositions/${id}/render`, body, headers);
}

export async function read(caller: Caller, render: string): Promise<Render> {
  return (await caller.get<Render>(`/v1/renders/${render}`)).json;
}

/** A caller with a composition of two files. */
export async function open(t: Test) {
  const house = await openInProcess(t);
  const caller = await house.account();
  const id = await make(caller, { "index.html": page(), "a.txt": "kite" });
  return { house, caller, id };
}

export async function readText({ service: { objects } }: InProcess, key: string): Promise<string> {
  const stored = await objects.stat(key);
  invariant(stored !== undefined, `${key} is there`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of objects.read(key, { start: 0, end: stored.sizeBytes }))
    chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
