/**
 * Assets: the calls of the contract, uploading files and reading what was made.
 *
 * 1. A small file goes in one request. A larger one goes to a signed address, above 64 MiB in
 *    parts, a few beside each other.
 * 2. What arrived stays: an upload that broke off goes on where it was, by its id, within a day.
 * 3. An upload ends with an asset that is ready, or with an error that says why it cannot be used.
 */
import type { Caller, CallOptions } from "./caller.ts";
import { AssetsCalls } from "./generated/assets-calls.ts";
import type { Asset, Upload } from "./generated/models.ts";
import { UploadsCalls } from "./generated/uploads-calls.ts";
import { detectMediaType } from "./media-types.ts";
import { KliegError } from "./problem.ts";
import { pause } from "./retry.ts";
import { sendUpload, type UploadOptions } from "./sending.ts";

/** Files up to this size are sent in one request. */
const directBytesMax = 8 * 1_048_576;
/** Pause between checks whether an asset is ready. */
const betweenLooksMs = 200;

export interface UploadRequest {
  /** Name of the file; by default the file's own name, if it has one. */
  readonly filename?: string | undefined;
  /** Media type; by default that of the file or of its name's extension. */
  readonly mime_type?: string | undefined;
  readonly display_name?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly checksum_sha256?: string | undefined;
}

export class Assets extends AssetsCalls {
  private readonly uploads: UploadsCalls;

  constructor(caller: Caller) {
    super(caller);
    this.uploads = new UploadsCalls(caller);
  }

  /** Uploads a file and returns the asset once it is ready. */
  async upload(
    file: Blob,
    request: UploadRequest = {},
    options: UploadOptions = {},
  ): Promise<Asset> {
    const isSmall = file.size <= directBytesMax && options.resume === undefined;
    const asset = isSmall
      ? await this.send(file, request, options)
      : await this.sendInParts(file, request, options);
    return this.ready(asset, options);
  }

  /** Returns the asset once the service has processed it. Throws when it cannot be used. */
  async ready(asset: Asset | string, options: CallOptions = {}): Promise<Asset> {
    let read = typeof asset === "string" ? await this.get(asset, options) : asset;
    while (read.status === "processing" || read.status === "pending_upload") {
      await pause(betweenLooksMs, options.signal);
      read = await this.get(read.id, options);
    }
    if (read.status !== "failed") return read;
    throw new KliegError(read.failure_reason ?? "The file could not be used.", {
      status: 400,
      code: "validation",
    });
  }

  /** Returns the asset's bytes, unread. A signed URL that has expired is renewed. */
  async download(asset: Asset | string, options: CallOptions = {}): Promise<Response> {
    const { signal } = options;
    const known = typeof asset === "string" ? await this.get(asset, options) : asset;
    try {
      return await this.caller.fetchUrl(known.signed_url, {}, signal);
    } catch (fault) {
      signal?.throwIfAborted();
      if (!(fault instanceof KliegError) || fault.status === 0) throw fault;
      const { signed_url: url } = await this.get(known.id, options);
      return this.caller.fetchUrl(url, {}, signal);
    }
  }

  private async send(file: Blob, request: UploadRequest, options: UploadOptions): Promise<Asset> {
    const { display_name: name, tags, checksum_sha256: checksum } = request;
    const form = new FormData();
    form.append("file", file, getFilename(file, request));
    if (name !== undefined) form.append("display_name", name);
    if (tags !== undefined) form.append("tags", JSON.stringify(tags));
    if (checksum !== undefined) form.append("checksum_sha256", checksum);
    const call = { method: "POST", path: "/assets", form, isRepeatable: false } as const;
    const asset = await this.caller.json<Asset>(call, options);
    options.onProgress?.({ sentBytes: file.size, totalBytes: file.size });
    return asset;
  }

  private async sendInParts(
    file: Blob,
    request: UploadRequest,
    options: UploadOptions,
  ): Promise<Asset> {
    const upload = await this.openUpload(file, request, options);
    options.onUpload?.(upload.id);
    return sendUpload({ caller: this.caller, uploads: this.uploads, file, upload, options });
  }

  private openUpload(file: Blob, request: UploadRequest, options: UploadOptions): Promise<Upload> {
    if (options.resume !== undefined) return this.uploads.get(options.resume, options);
    const filename = getFilename(file, request);
    const mime_type = request.mime_type ?? (file.type || detectMediaType(filename));
    return this.uploads.begin({ ...request, filename, mime_type, size_bytes: file.size }, options);
  }
}

function getFilename(file: Blob, { filename }: UploadRequest): string {
  if (filename !== undefined) return filename;
  return "name" in file && typeof file.name === "string" ? file.name : "upload";
}
