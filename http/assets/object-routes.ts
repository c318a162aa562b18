/** Stored bytes behind signed links: `GET`, `HEAD` and one `Range` (RFC 9110, section 14). */

import { type Disposition, objectsPath, readDisposition } from "../auth/signed-urls.ts";
import type { Answer, Header } from "../exchange/answer.ts";
import { RefusalError, requireFound } from "../exchange/refusal-error.ts";
import { anyParameters } from "../request/query.ts";
import { type Call, type Route, route } from "../route.ts";
import { sendStoredBytes } from "./ranged-bytes.ts";
import { mediaTypeOfKey } from "./stored-upload.ts";

export const objectRoutes: readonly Route[] = [
  route("GET", `${objectsPath}{rest}`, {
    summary: "Download stored bytes by a signed link",
    answers: { 200: "*/*", 206: "*/*", 304: null, 416: null },
    access: "open",
    query: anyParameters,
    run: readObject,
  }),
];

async function readObject({ service, request, id: key }: Call): Promise<Answer> {
  const query = new URLSearchParams(request.query);
  if (!service.signedUrls.verifiesGet(key, query, service.clock.nowMs()))
    throw new RefusalError({ code: "forbidden", detail: "This link is not valid or has expired." });
  const { sizeBytes, version } = requireFound(await service.objects.stat(key));
  const validators = version && { etag: `"${version.tag}"`, modifiedMs: version.modifiedMs };
  return sendStoredBytes(service, request, { key, sizeBytes, validators }, [
    ["Content-Type", mediaTypeOfKey(key) ?? "application/octet-stream"],
    ["Cache-Control", "private, no-store"],
    ...contentDisposition(readDisposition(query)),
  ]);
}

/** Has a browser show or save the bytes under that name (RFC 6266). */
function contentDisposition(disposition: Disposition | undefined): readonly Header[] {
  if (disposition === undefined) return [];
  const { kind, filename } = disposition;
  const plain = filename.replaceAll(/[^ -~]|["\\%]/g, "_");
  const exact = encodeURIComponent(filename).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const value = `${kind}; filename="${plain}"; filename*=UTF-8''${exact}`;
  return [["Content-Disposition", value]];
}
