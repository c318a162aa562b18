/**
 * Fills a model's mapping from a request. Only the operator's template is interpreted: values of
 * fields, prompts and provider options are inserted unchanged and never read as templates.
 */

import type { ProviderInput } from "../actors/generation/provider-fields.ts";
import type { Source } from "../actors/protocol/farm-task.ts";
import { type AssetForm, readAssetName } from "../config/mapping/fields.ts";
import type { Mapping } from "../config/mapping/mapping.ts";
import { readPart } from "../config/mapping/template.ts";
import { readInputName } from "../config/mapping/workflow.ts";
import { invariant } from "../engine/invariant.ts";

/** Passes an asset to a provider: as a signed URL, a data URL, or an uploaded file's name. */
export type AssetForms = Readonly<Record<AssetForm, (source: Source) => Promise<string>>>;

/** Returns the graph with its inputs set for ComfyUI; otherwise the filled template. */
export async function fillMapping(
  mapping: Mapping,
  input: ProviderInput,
  forms: AssetForms,
): Promise<Record<string, unknown>> {
  const given: Given = { input, forms };
  if (mapping.kind === "workflow") return fillWorkflow(mapping, given);
  const { provider_options: options } = input.fields;
  const part = readPart(mapping.template);
  invariant(part.kind === "object", "the catalogue was checked with its mappings");
  const filled = Object.fromEntries(await fillMembers(part.members, given));
  const isFree = typeof options === "object" && !names(mapping.template, "provider_options");
  // Members of the operator's mapping take precedence, as the price was set for them.
  return isFree ? { ...options, ...filled } : filled;
}

interface Given {
  readonly input: ProviderInput;
  readonly forms: AssetForms;
}

/** An input whose field is absent keeps its value in the graph. */
async function fillWorkflow(
  { graph, inputs }: Extract<Mapping, { kind: "workflow" }>,
  given: Given,
): Promise<Record<string, unknown>> {
  const filled = structuredClone(graph);
  for (const [name, value] of await fillMembers(Object.entries(inputs), given)) {
    const { node, input } = readInputName(name);
    const found = filled[node];
    invariant(found !== undefined, "the catalogue was checked with its graph");
    found.inputs[input] = value;
  }
  return filled;
}

type Members = readonly (readonly [string, unknown])[];

/** Fills members, and leaves out those whose field is absent. */
async function fillMembers(members: Members, given: Given): Promise<Members> {
  const filled: (readonly [string, unknown])[] = [];
  for (const [name, template] of members) {
    const value = await fill(template, given);
    if (value !== undefined) filled.push([name, value]);
  }
  return filled;
}

/** Fills a template; undefined for a field that is absent. */
async function fill(template: unknown, given: Given): Promise<unknown> {
  const part = readPart(template);
  const { fields } = given.input;
  switch (part.kind) {
    case "literal":
      return part.value;
    case "field":
      return Object.hasOwn(fields, part.name) ? fields[part.name] : assetsAs(part.name, given);
    case "text":
      return Object.hasOwn(fields, part.name) ? String(fields[part.name]) : undefined;
    case "map": {
      if (!Object.hasOwn(fields, part.name)) return undefined;
      const key = String(fields[part.name]);
      // A preview model takes values that are not listed; its provider decides.
      return Object.hasOwn(part.values, key) ? part.values[key] : fields[part.name];
    }
    case "list": {
      const items: unknown[] = [];
      for (const item of part.items) {
        const value = await fill(item, given);
        if (value !== undefined) items.push(value);
      }
      return items;
    }
    case "object":
      return Object.fromEntries(await fillMembers(part.members, given));
    case "wrong":
      return invariant(false, "the catalogue was checked with its mappings");
  }
}

async function assetsAs(name: string, { input, forms }: Given): Promise<unknown> {
  const asset = readAssetName(name);
  const found =
    asset !== undefined && Object.hasOwn(input.assets, asset.field)
      ? input.assets[asset.field]
      : undefined;
  if (asset === undefined || found === undefined) return undefined;
  const sources: readonly Source[] = "objectKey" in found ? [found] : found;
  const given: string[] = [];
  for (const source of asset.isList ? sources : sources.slice(0, 1))
    given.push(await forms[asset.form](source));
  return asset.isList ? given : given[0];
}

/** Whether a template refers to a field explicitly. */
function names(template: unknown, field: string): boolean {
  const part = readPart(template);
  switch (part.kind) {
    case "field":
      return part.name === field;
    case "list":
      return part.items.some((item) => names(item, field));
    case "object":
      return part.members.some(([, value]) => names(value, field));
    case "literal":
    case "text":
    case "map":
    case "wrong":
      return false;
  }
}
