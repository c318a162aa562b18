/** Written by clients/generator from the published contract; do not edit it. */
import { segment, type CallOptions, type Caller } from "../caller.ts";
import type {
  CreateShareRequest,
  ShareLink,
  ShareList,
  SharePassword,
  ShareResolution,
} from "./models.ts";

export class SharesCalls {
  protected readonly caller: Caller;

  constructor(caller: Caller) {
    this.caller = caller;
  }

  /** Make a share link of a render. */
  create(
    target: "renders" | "assets",
    id: string,
    request: CreateShareRequest = {},
    options: CallOptions = {},
  ): Promise<ShareLink> {
    return this.caller.json<ShareLink>(
      {
        method: "POST",
        path: `/${segment(target)}/${segment(id)}/share`,
        body: request,
        isRepeatable: false,
      },
      options,
    );
  }

  /** List the active share links of a render, newest first. */
  list(target: "renders" | "assets", id: string, options: CallOptions = {}): Promise<ShareList> {
    return this.caller.json<ShareList>(
      { method: "GET", path: `/${segment(target)}/${segment(id)}/share`, isRepeatable: true },
      options,
    );
  }

  /** Revoke a share link of a render, by its token or its id. */
  revoke(
    target: "renders" | "assets",
    id: string,
    token: string,
    options: CallOptions = {},
  ): Promise<undefined> {
    return this.caller.end(
      {
        method: "DELETE",
        path: `/${segment(target)}/${segment(id)}/share/${segment(token)}`,
        isRepeatable: false,
      },
      options,
    );
  }

  /** Show what a share link leads to; a page for browsers. */
  resolve(token: string, options: CallOptions = {}): Promise<ShareResolution> {
    return this.caller.json<ShareResolution>(
      { method: "GET", path: `/share/${segment(token)}`, isRepeatable: true },
      options,
    );
  }

  /** Submit the password of a share link. */
  unlock(
    token: string,
    request: SharePassword,
    options: CallOptions = {},
  ): Promise<ShareResolution> {
    return this.caller.json<ShareResolution>(
      { method: "POST", path: `/share/${segment(token)}`, body: request, isRepeatable: false },
      options,
    );
  }
}
