/** Written by clients/generator from the published contract; do not edit it. */
import {
  segment,
  type Bytes,
  type CallOptions,
  type Caller,
  type ChangeOptions,
  type SubmitOptions,
} from "../caller.ts";
import type {
  CloneCompositionRequest,
  Composition,
  CompositionFile,
  CompositionPage,
  CompositionsDeleteQuery,
  CompositionsListQuery,
  CreateCompositionRequest,
  EffectiveTimeline,
  FigmaImport,
  FigmaImportRequest,
  PatchCompositionRequest,
  Preview,
  Render,
  RenderList,
  RenderRequest,
  SignedUrls,
  SignedUrlsRequest,
} from "./models.ts";

export class CompositionsCalls {
  protected readonly caller: Caller;

  constructor(caller: Caller) {
    this.caller = caller;
  }

  /** Create a composition. */
  create(request: CreateCompositionRequest = {}, options: CallOptions = {}): Promise<Composition> {
    return this.caller.json<Composition>(
      { method: "POST", path: "/compositions", body: request, isRepeatable: false },
      options,
    );
  }

  /** Read a composition with its files. */
  get(id: string, options: CallOptions = {}): Promise<Composition> {
    return this.caller.json<Composition>(
      { method: "GET", path: `/compositions/${segment(id)}`, isRepeatable: true },
      options,
    );
  }

  /** List compositions, newest first. */
  list(query: CompositionsListQuery = {}, options: CallOptions = {}): Promise<CompositionPage> {
    return this.caller.json<CompositionPage>(
      { method: "GET", path: "/compositions", query: { ...query }, isRepeatable: true },
      options,
    );
  }

  /** Change a composition's name, description, project or metadata. */
  update(
    id: string,
    request: PatchCompositionRequest = {},
    options: ChangeOptions = {},
  ): Promise<Composition> {
    return this.caller.json<Composition>(
      {
        method: "PATCH",
        path: `/compositions/${segment(id)}`,
        body: request,
        isRepeatable: false,
      },
      options,
    );
  }

  /** Delete a composition and all its files. */
  delete(
    id: string,
    query: CompositionsDeleteQuery = {},
    options: ChangeOptions = {},
  ): Promise<undefined> {
    return this.caller.end(
      {
        method: "DELETE",
        path: `/compositions/${segment(id)}`,
        query: { ...query },
        isRepeatable: false,
      },
      options,
    );
  }

  /** Copy a composition without its edits. */
  clone(
    id: string,
    request: CloneCompositionRequest = {},
    options: CallOptions = {},
  ): Promise<Composition> {
    return this.caller.json<Composition>(
      {
        method: "POST",
        path: `/compositions/${segment(id)}/clone`,
        body: request,
        isRepeatable: false,
      },
      options,
    );
  }

  /** Read the effective timeline of a composition. */
  timeline(id: string, options: CallOptions = {}): Promise<EffectiveTimeline> {
    return this.caller.json<EffectiveTimeline>(
      { method: "GET", path: `/compositions/${segment(id)}/timeline`, isRepeatable: true },
      options,
    );
  }

  /** Read a file of a composition. */
  getFile(id: string, path: string, options: ChangeOptions = {}): Promise<Response> {
    return this.caller.open(
      {
        method: "GET",
        path: `/compositions/${segment(id)}/file`,
        query: { path },
        isRepeatable: true,
      },
      options,
    );
  }

  /** Upload or overwrite a file of a composition. */
  putFile(
    id: string,
    path: string,
    bytes: Bytes,
    options: ChangeOptions = {},
  ): Promise<CompositionFile> {
    return this.caller.json<CompositionFile>(
      {
        method: "PUT",
        path: `/compositions/${segment(id)}/file`,
        query: { path },
        bytes,
        mediaType: "application/octet-stream",
        isRepeatable: true,
      },
      options,
    );
  }

  /** Delete a file of a composition. */
  deleteFile(id: string, path: string, options: ChangeOptions = {}): Promise<undefined> {
    return this.caller.end(
      {
        method: "DELETE",
        path: `/compositions/${segment(id)}/file`,
        query: { path },
        isRepeatable: false,
      },
      options,
    );
  }

  /** Replace all files of a composition with those of a ZIP archive. */
  replaceBundle(id: string, bytes: Bytes, options: CallOptions = {}): Promise<Composition> {
    return this.caller.json<Composition>(
      {
        method: "POST",
        path: `/compositions/${segment(id)}/bundle`,
        bytes,
        mediaType: "application/zip",
        isRepeatable: true,
      },
      options,
    );
  }

  /** Sign links to files of a composition and to assets. */
  signedUrls(
    id: string,
    request: SignedUrlsRequest = {},
    options: CallOptions = {},
  ): Promise<SignedUrls> {
    return this.caller.json<SignedUrls>(
      {
        method: "POST",
        path: `/compositions/${segment(id)}/files:signed-urls`,
        body: request,
        isRepeatable: true,
      },
      options,
    );
  }

  /** Mint a link to the preview of a composition's current revision. */
  preview(id: string, options: CallOptions = {}): Promise<Preview> {
    return this.caller.json<Preview>(
      { method: "POST", path: `/compositions/${segment(id)}/preview`, isRepeatable: false },
      options,
    );
  }

  /** Render a composition to a film or a still. */
  render(id: string, request: RenderRequest = {}, options: SubmitOptions = {}): Promise<Render> {
    return this.caller.json<Render>(
      {
        method: "POST",
        path: `/compositions/${segment(id)}/render`,
        body: request,
        isRepeatable: true,
        earlier: "renders",
      },
      options,
    );
  }

  /** List the renders of a composition, newest first. */
  renders(id: string, options: CallOptions = {}): Promise<RenderList> {
    return this.caller.json<RenderList>(
      { method: "GET", path: `/compositions/${segment(id)}/renders`, isRepeatable: true },
      options,
    );
  }

  /** Export a composition's timeline for a desktop editor. */
  export(id: string, format: "fcpxml" | "aejsx", options: CallOptions = {}): Promise<Response> {
    return this.caller.open(
      {
        method: "GET",
        path: `/compositions/${segment(id)}/export`,
        query: { format },
        isRepeatable: true,
      },
      options,
    );
  }

  /** Import a frame of a design as texts and pictures. */
  importFigma(
    id: string,
    request: FigmaImportRequest,
    options: CallOptions = {},
  ): Promise<FigmaImport> {
    return this.caller.json<FigmaImport>(
      {
        method: "POST",
        path: `/compositions/${segment(id)}/imports/figma`,
        body: request,
        isRepeatable: false,
      },
      options,
    );
  }
}
