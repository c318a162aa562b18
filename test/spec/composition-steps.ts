/** Steps that tests about compositions share. */
import type { Composition, CompositionFile } from "../../contract/composition.ts";
import { invariant } from "../../engine/invariant.ts";
import type { Caller, Headers, Reply } from "./caller.ts";

interface Page {
  readonly seconds?: number;
  readonly fps?: number;
  readonly inside?: string;
}

/** Returns an `index.html` of 320 by 180. */
export function page({ seconds = 2, fps, inside = "" }: Page = {}): string {
  const rate = fps === undefined ? "" : ` data-fps="${fps}"`;
  return (
    `<div data-composition-id="main" data-start="0" data-duration="${seconds}"${rate} ` +
    `data-width="320" data-height="180" data-no-timeline>${inside}</div>`
  );
}

export function putFile<T = CompositionFile>(
  caller: Caller,
  id: string,
  path: string,
  body: string | Uint8Array,
  headers: Headers = {},
): Promise<Reply<T>> {
  const place = `/v1/compositions/${id}/file?path=${encodeURIComponent(path)}`;
  return caller.request<T>("PUT", place, { body, headers });
}

/** Makes a composition with these files. */
export async function make(
  caller: Caller,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const { status, json } = await caller.post<Composition>("/v1/compositions", {});
  invariant(status === 201, "the composition was made");
  for (const [path, text] of Object.entries(files)) {
    const put = await putFile(caller, json.id, path, text);
    invariant(put.status === 201, `the file was stored: ${put.text}`);
  }
  return json.id;
}
