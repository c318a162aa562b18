/**
 * `multipart/form-data` (RFC 7578) with one file, read as it arrives. Any fault, such as too many
 * parts, a malformed part or a client that disconnects, ends the reading of all parts at once.
 */

import { Readable } from "node:stream";
import { Busboy, type BusboyHeaders, type BusboyInstance } from "@fastify/busboy";
import { limits } from "../../config/limits.ts";
import type { Fault } from "../../config/schema.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import { foreignBytes } from "./foreign-bytes.ts";

/** Consumes the file's bytes; it must read them all or throw. */
export type Receive<T> = (file: IncomingFile) => Promise<T>;

export interface IncomingFile {
  /** The filename as sent, which must never be used as a path. */
  readonly filename: string;
  readonly mediaType: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface Form<T> {
  readonly file: T;
  readonly fields: ReadonlyMap<string, string>;
  /** Faults in the other parts; the file was received all the same. */
  readonly faults: readonly Fault[];
}

/**
 * Throws `RefusalError` with 415 for another media type, 400 for a malformed body, an unknown or
 * repeated part, or a missing file; and all errors of `receive`.
 */
export async function readForm<T>(
  body: AsyncIterable<Uint8Array> | undefined,
  contentType: string | undefined,
  names: readonly string[],
  receive: Receive<T>,
): Promise<Form<T>> {
  if (!/^multipart\/form-data\s*;/i.test(contentType ?? ""))
    throw new RefusalError({ code: "unsupported_media_type" });
  const parser = openParser({ "content-type": contentType } as BusboyHeaders);
  const source = Readable.from(slice(body ?? []), { objectMode: false });
  const fields = new Map<string, string>();
  const faults: Fault[] = [];
  const files: Readable[] = [];
  let received: Promise<T> | undefined;
  parser.on("field", (name, value, _nameCut, isCut) => {
    const pointer = `/${name}`;
    if (!names.includes(name)) faults.push({ pointer, detail: "is not a known field" });
    else if (fields.has(name)) faults.push({ pointer, detail: "is given more than once" });
    else if (isCut) faults.push({ pointer, detail: "is too long" });
    else fields.set(name, value);
  });
  const whole = new Promise<void>((resolve, reject) => {
    parser.on("file", (name, stream, filename, _encoding, mediaType) => {
      const bytes = foreignBytes(stream);
      files.push(stream);
      if (name !== "file") reject(wrongPart(name, "is not a known file"));
      else if (received !== undefined) reject(wrongPart(name, "is given more than once"));
      else {
        received = receive({ filename: filename ?? "", mediaType, bytes });
        received.catch(reject);
      }
    });
    for (const limit of ["partsLimit", "fieldsLimit", "filesLimit"] as const)
      parser.on(limit, () =>
        reject(refuseMalformed(`has more than ${limits.assets.formPartsMax} parts`)),
      );
    parser.on("error", (cause: unknown) =>
      reject(Object.assign(refuseMalformed("is not a well-formed form"), { cause })),
    );
    parser.on("finish", resolve);
    source.on("error", reject);
    source.pipe(parser);
  });
  try {
    await whole;
  } catch (error) {
    source.unpipe(parser);
    source.destroy();
    for (const file of files) file.destroy(error instanceof Error ? error : undefined);
    // Waits until the interrupted storing has ended, before the answer is sent.
    await received?.catch(() => undefined);
    throw error;
  }
  if (received === undefined)
    throw new RefusalError({
      code: "validation",
      faults: [...faults, { pointer: "/file", detail: "is required" }],
    });
  return { file: await received, fields, faults };
}

/**
 * Feeds the parser in slices. It parses a whole slice before a refusal of one part can stop it, and
 * half a megabyte may hold eight thousand parts.
 */
async function* slice(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const bytes of body)
    for (let at = 0; at < bytes.length; at += limits.assets.formSliceBytes)
      yield bytes.subarray(at, at + limits.assets.formSliceBytes);
}

function openParser(headers: BusboyHeaders): BusboyInstance {
  const { formFieldBytesMax: fieldSize, formPartsMax: parts } = limits.assets;
  try {
    return new Busboy({ headers, limits: { fieldSize, fields: parts, files: 2, parts } });
  } catch (error) {
    throw Object.assign(refuseMalformed("has no usable boundary"), { cause: error });
  }
}

function wrongPart(name: string, detail: string): RefusalError {
  return new RefusalError({ code: "validation", faults: [{ pointer: `/${name}`, detail }] });
}

function refuseMalformed(detail: string): RefusalError {
  const faults = [{ pointer: "", detail: `the body ${detail}` }];
  return new RefusalError({ code: "validation", faults });
}
