/** Files that an agent passes: in the message, by link, or by path if there is a folder. */
import { KliegError } from "../../clients/typescript/src/klieg.ts";
import { WebError } from "../../engine/ports/web.ts";
import type { Turn } from "./tool.ts";

/** One file, passed in exactly one of these ways. */
export interface GivenFile {
  readonly base64?: string | undefined;
  readonly url?: string | undefined;
  readonly path?: string | undefined;
}

/** Size limit of a file that a link leads to. */
const linkedBytesMax = 100 * 1_048_576;
const redirectsMax = 3;

/** Returns the bytes of the file that was passed. Throws `KliegError`. */
export async function readGivenFile(given: GivenFile, turn: Turn): Promise<Blob> {
  const { base64, url, path } = given;
  if ([base64, url, path].filter((one) => one !== undefined).length !== 1)
    throw refuse("Give the file as exactly one of base64, url and path.");
  if (base64 !== undefined) return new Blob([Buffer.from(base64, "base64")]);
  if (url !== undefined) return readLink(url, turn);
  if (turn.folder === undefined)
    throw refuse("A path can only be used over standard input and output.");
  return turn.folder.read(path ?? "");
}

async function readLink(url: string, { web, signal }: Turn): Promise<Blob> {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw refuse("The url must begin with http:// or https://.");
  try {
    const answer = await web.ask({ url, redirectsMax, mayBePrivate: false, signal });
    if (answer.status !== 200) {
      answer.discard();
      throw refuse(`The link answered with status ${answer.status}.`);
    }
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of answer.body) {
      bytes += chunk.length;
      if (bytes > linkedBytesMax) throw refuse("The file behind the link is too large.");
      chunks.push(chunk);
    }
    return new Blob([Buffer.concat(chunks)]);
  } catch (fault) {
    if (!(fault instanceof WebError)) throw fault;
    throw refuse(`The link could not be read: ${fault.message}.`);
  }
}

function refuse(sentence: string): KliegError {
  return new KliegError(sentence, { status: 400, code: "validation" });
}
