/** Data by which a request in a fal queue is found again, stored as a `ProviderRef`. */
import { omitUndefined } from "../../config/defined.ts";
import { limits } from "../../config/limits.ts";
import { check, type Static, Type } from "../../config/schema.ts";
import type { ProviderRef } from "../provider.ts";

const urlText = Type.Optional(Type.String({ minLength: 1, maxLength: limits.providers.refMax }));

const schema = Type.Object({
  id: Type.String({ pattern: "^[A-Za-z0-9_-]{1,128}$" }),
  /** Path of the request's app. */
  app: Type.String({ pattern: "^(?:/[^/?#\\\\]+){2,3}$" }),
  /** URLs that the provider gave, if they differ from those in its documentation. */
  status_url: urlText,
  response_url: urlText,
  cancel_url: urlText,
  /** `expected_units` of the model's catalogue entry. */
  units: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
});

export type FalRequest = Static<typeof schema>;
const isRequest = check<FalRequest>(schema);

export function falRef(request: FalRequest): ProviderRef | undefined {
  if (!isRequest(request)) return undefined;
  const { id, app, units } = request;
  const refs = [request, { id, app, ...omitUndefined({ units }) }].map((known) =>
    JSON.stringify(known),
  );
  return refs.find((ref) => ref.length <= limits.providers.refMax);
}

/** The request, or undefined when the text is not a reference. */
export function parseFalRef(ref: ProviderRef): FalRequest | undefined {
  if (!ref.startsWith("{")) return undefined;
  const request: unknown = JSON.parse(ref);
  return isRequest(request) ? request : undefined;
}

/** In apps of these owners, the actual owner's name follows (`workflows/owner/name`). */
const namespaces: ReadonlySet<string | undefined> = new Set(["workflows", "comfy"]);

/** Paths for a model `owner/alias[/subpath]`: for its submits, and its app without subpath. */
export function falPaths(model: string): { readonly submit: string; readonly app: string } {
  const parts = model.split("/").map((part) => `/${encodeURIComponent(part)}`);
  const appParts = namespaces.has(model.split("/")[0]) ? 3 : 2;
  return { submit: parts.join(""), app: parts.slice(0, appParts).join("") };
}

/** URLs of a request, as in the documentation or as given by the provider. */
export function falPlaces(request: FalRequest): {
  readonly status: string;
  readonly response: string;
  readonly cancel: string;
} {
  const path = `${request.app}/requests/${request.id}`;
  return {
    status: request.status_url ?? `${path}/status`,
    response: request.response_url ?? path,
    cancel: request.cancel_url ?? `${path}/cancel`,
  };
}
