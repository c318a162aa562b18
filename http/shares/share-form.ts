/** The body of `POST /share/{token}`: a password as JSON, or as a browser's form sends it. */

import { limits } from "../../config/limits.ts";
import { check } from "../../config/schema.ts";
import { SharePassword } from "../../contract/share.ts";
import { capBytes } from "../assets/stored-upload.ts";
import type { HttpRequest } from "../exchange/answer.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import { parseBody } from "../request/body.ts";

export interface GivenPassword {
  readonly password: string | undefined;
  /** Whether a browser's form sent it, so that the browser is sent back to the page. */
  readonly isForm: boolean;
}

const isPassword = check<SharePassword>(SharePassword);
const accepts = "application/json or application/x-www-form-urlencoded, in UTF-8";
const type = /^application\/(json|x-www-form-urlencoded)\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** Throws `RefusalError` with 415, 413 or 400. */
export async function readPassword({ headers, incoming }: HttpRequest): Promise<GivenPassword> {
  const [, kind] = type.exec(headers["content-type"] ?? "application/json") ?? [];
  if (kind === undefined) throw new RefusalError({ code: "unsupported_media_type", accepts });
  const bytes = await readAll(incoming);
  if (kind.toLowerCase() === "json") {
    const { password } = parseBody<SharePassword>(bytes, isPassword);
    return { password: password || undefined, isForm: false };
  }
  const password = new URLSearchParams(bytes.toString()).get("password");
  return { password: password || undefined, isForm: true };
}

async function readAll(incoming: HttpRequest["incoming"]): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of capBytes(incoming ?? [], limits.shares.formBytesMax))
    chunks.push(chunk);
  return Buffer.concat(chunks);
}
