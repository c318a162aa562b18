import { createHash } from "node:crypto";
import { type ModelEntry, publicModelFields } from "../../config/catalogue.ts";
import { modalities } from "../../config/modalities.ts";
import { Model, ModelPage } from "../../contract/model.ts";
import { requireScope } from "../auth/principals.ts";
import type { Answer } from "../exchange/answer.ts";
import { requireFound } from "../exchange/refusal-error.ts";
import { getAvailability } from "../providers/provider-views.ts";
import { withETag } from "../request/etag.ts";
import { optionalFlag, parseSome } from "../request/query.ts";
import { anywhere, type Call, type Route, route } from "../route.ts";
import type { Service } from "../service.ts";
import { getDeprecationHeaders } from "./deprecation.ts";

const operations = ["generate", "set", "background_removal", "restoration"] as const;

interface ModelQuery {
  readonly modality: readonly string[] | undefined;
  readonly operation: readonly string[] | undefined;
  readonly include_disabled: boolean | undefined;
}

export const modelRoutes: readonly Route[] = [
  route("GET", "/v1/models", {
    summary: "List the models, with limits, options and prices",
    answers: { 200: ModelPage, 304: null },
    access: "bearer",
    getPartition: anywhere,
    rate: "read",
    query: {
      modality: parseSome(modalities),
      operation: parseSome(operations),
      include_disabled: optionalFlag,
    },
    run: listModels,
  }),
  route("GET", "/v1/models/{id}", {
    summary: "Read a model",
    answers: { 200: Model, 304: null },
    access: "bearer",
    getPartition: anywhere,
    rate: "read",
    run: readModel,
  }),
];

function listModels(call: Call<unknown, ModelQuery>): Answer {
  const { catalogue } = call.service;
  const { modality, operation, include_disabled: isWhole = false } = call.query;
  if (isWhole) requireScope(call.principal, "admin");
  const items = catalogue.models
    .filter((model) => isWhole || model.status !== "disabled")
    .filter((model) => modality?.includes(model.modality) ?? true)
    .filter((model) => operation?.some((name) => offers(model, name)) ?? true)
    .map((model) => ({
      ...(isWhole ? operatorPart(model) : {}),
      ...modelView(model, call.service),
    }));
  const { version, updatedAt } = catalogue;
  return answerTagged(call, JSON.stringify({ items, version, updated_at: updatedAt }));
}

function readModel(call: Call): Answer {
  const { models } = call.service.catalogue;
  const model = requireFound(
    models.find(({ id, aliases }) => id === call.id || aliases.includes(call.id)),
  );
  const answer = answerTagged(call, JSON.stringify(modelView(model, call.service)));
  return { ...answer, headers: [...answer.headers, ...getDeprecationHeaders(model, call.service)] };
}

function offers({ operations }: ModelEntry, name: string): boolean {
  return operations.some((operation) => operation === name);
}

/** Returns the mapping as in its file, with the graph itself in place of the graph's name. */
function operatorPart({ mapping, ...model }: ModelEntry) {
  switch (mapping?.kind) {
    case undefined:
      return model;
    case "template":
      return { ...model, mapping: mapping.template };
    case "workflow":
      return { ...model, mapping: { workflow: mapping.graph, inputs: mapping.inputs } };
  }
}

/** The model without the members that only operators may see. */
function modelView(model: ModelEntry, service: Service) {
  const shown = Object.fromEntries(
    Object.entries(model).filter(([name]) => Object.hasOwn(publicModelFields, name)),
  );
  return { ...shown, availability: getAvailability(model.provider, service) };
}

function answerTagged({ request }: Call<unknown, unknown>, text: string): Answer {
  const digest = createHash("sha256").update(text).digest("base64url");
  return withETag(request, `"${digest.slice(0, 22)}"`, text);
}
