/**
 * Sending a file to the signed addresses of an upload.
 *
 * 1. Parts that the store has are not sent again.
 * 2. A part that breaks off is tried again, with a new address: they are good for an hour.
 * 3. At most `atOnce` parts are on their way, and none is held in memory whole.
 */
import type { Caller, CallOptions } from "./caller.ts";
import type { Asset, Upload } from "./generated/models.ts";
import type { UploadsCalls } from "./generated/uploads-calls.ts";
import { KliegError } from "./problem.ts";
import { isPassing, pause, retryBounds } from "./retry.ts";

const atOnce = 3;
const triesMax = 5;

export interface UploadOptions extends CallOptions {
  readonly onProgress?: ((sent: Sent) => void) | undefined;
  /** Called with the id of an upload to a signed address, to resume it if it breaks off. */
  readonly onUpload?: ((uploadId: string) => void) | undefined;
  /** Id of an interrupted upload of this same file. */
  readonly resume?: string | undefined;
}

export interface Sent {
  readonly sentBytes: number;
  readonly totalBytes: number;
}

export interface Sending {
  readonly caller: Caller;
  readonly uploads: UploadsCalls;
  readonly file: Blob;
  readonly upload: Upload;
  readonly options: UploadOptions;
}

/** Returns the asset, which the service has yet to examine. */
export async function sendUpload(sending: Sending): Promise<Asset> {
  const { uploads, upload, options } = sending;
  if (upload.status === "completed") return uploads.complete(upload.id, {}, options);
  if (upload.method === "single") {
    await sendWhole(sending);
    return uploads.complete(upload.id, {}, options);
  }
  await sendParts(sending);
  const { uploaded_parts: stored = [] } = await uploads.get(upload.id, options);
  const parts = stored.map(({ part_number, etag }) => ({ part_number, etag }));
  return uploads.complete(upload.id, { parts }, options);
}

async function sendWhole({ caller, uploads, file, upload, options }: Sending): Promise<void> {
  await persist(options.signal, async (tried) => {
    const { url = "", headers = {} } = tried === 1 ? upload : await uploads.get(upload.id, options);
    await caller.fetchUrl(url, { method: "PUT", headers, body: file }, options.signal);
  });
  options.onProgress?.({ sentBytes: file.size, totalBytes: file.size });
}

async function sendParts(sending: Sending): Promise<void> {
  const { file, upload, options } = sending;
  const { part_size: size = file.size, part_count: count = 1, uploaded_parts: there = [] } = upload;
  const stored = new Set(there.map(({ part_number: number }) => number));
  const getBytes = (number: number) => Math.min(size, file.size - (number - 1) * size);
  let sentBytes = 0;
  const receive = (number: number) => {
    sentBytes += getBytes(number);
    options.onProgress?.({ sentBytes, totalBytes: file.size });
  };
  for (const number of stored) receive(number);
  const all = Array.from({ length: count }, (_, index) => index + 1);
  const missing = all.filter((number) => !stored.has(number)).values();
  const lane = async () => {
    for (const number of missing) {
      await sendPart(sending, number, file.slice((number - 1) * size, number * size));
      receive(number);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

async function sendPart(sending: Sending, number: number, bytes: Blob): Promise<void> {
  const { caller, uploads, upload, options } = sending;
  await persist(options.signal, async (tried) => {
    const first = tried === 1 ? findUrl(upload.parts, number) : undefined;
    const url = first ?? (await freshUrl(uploads, upload.id, number, options));
    await caller.fetchUrl(url, { method: "PUT", body: bytes }, options.signal);
  });
}

async function freshUrl(
  uploads: UploadsCalls,
  id: string,
  number: number,
  options: UploadOptions,
): Promise<string> {
  const { parts } = await uploads.parts(id, { part_numbers: [number] }, options);
  return findUrl(parts, number) ?? "";
}

function findUrl(
  parts: readonly { readonly part_number: number; readonly url: string }[] = [],
  number: number,
): string | undefined {
  return parts.find(({ part_number }) => part_number === number)?.url;
}

/** Retries when there is no answer, and when the signed address has expired. */
async function persist(
  signal: AbortSignal | undefined,
  act: (tried: number) => Promise<void>,
): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      await act(tried);
      return;
    } catch (fault) {
      signal?.throwIfAborted();
      const isExpired = fault instanceof KliegError && fault.status === 403;
      if (tried >= triesMax || !(isExpired || isPassing(fault, true))) throw fault;
      await pause(retryBounds.firstDelayMs * 2 ** tried, signal);
    }
  }
}
