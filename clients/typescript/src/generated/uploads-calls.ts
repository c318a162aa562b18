/** Written by clients/generator from the published contract; do not edit it. */
import { segment, type CallOptions, type Caller } from "../caller.ts";
import type {
  Asset,
  CompleteUploadRequest,
  CreateUploadRequest,
  Upload,
  UploadParts,
  UploadPartsRequest,
} from "./models.ts";

export class UploadsCalls {
  protected readonly caller: Caller;

  constructor(caller: Caller) {
    this.caller = caller;
  }

  /** Plan an upload. */
  begin(request: CreateUploadRequest, options: CallOptions = {}): Promise<Upload> {
    return this.caller.json<Upload>(
      { method: "POST", path: "/assets/uploads", body: request, isRepeatable: false },
      options,
    );
  }

  /** Read an upload and the list of its stored parts. */
  get(id: string, options: CallOptions = {}): Promise<Upload> {
    return this.caller.json<Upload>(
      { method: "GET", path: `/assets/uploads/${segment(id)}`, isRepeatable: true },
      options,
    );
  }

  /** Sign fresh URLs for parts of an upload. */
  parts(id: string, request: UploadPartsRequest, options: CallOptions = {}): Promise<UploadParts> {
    return this.caller.json<UploadParts>(
      {
        method: "POST",
        path: `/assets/uploads/${segment(id)}/parts`,
        body: request,
        isRepeatable: true,
      },
      options,
    );
  }

  /** Join the parts of an upload. */
  complete(
    id: string,
    request: CompleteUploadRequest = {},
    options: CallOptions = {},
  ): Promise<Asset> {
    return this.caller.json<Asset>(
      {
        method: "POST",
        path: `/assets/uploads/${segment(id)}/complete`,
        body: request,
        isRepeatable: true,
      },
      options,
    );
  }

  /** Abort an upload. */
  abort(id: string, options: CallOptions = {}): Promise<undefined> {
    return this.caller.end(
      { method: "DELETE", path: `/assets/uploads/${segment(id)}`, isRepeatable: false },
      options,
    );
  }
}
