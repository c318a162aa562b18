/**
 * What a request comes to for a model that a provider runs: its fields after defaulting, by their
 * names in the API, and its assets, by the names of theirs without `_asset_id`. The catalogue's
 * mapping says what of it the provider is given (`config/mapping/fields.ts` lists the names).
 */
import type { ModelEntry } from "../../config/catalogue.ts";
import { isRemote } from "../../config/providers/providers.ts";
import type { Source } from "../protocol/farm-task.ts";
import type { TaskInput } from "../protocol/job.ts";

export type ProviderInput = {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly assets: Readonly<Record<string, Source | readonly Source[]>>;
};

/** A checked request with its model and assets. Members that are undefined are left out. */
interface Understood {
  readonly model: ModelEntry;
  /** The request body as received. */
  readonly request: Readonly<Record<string, unknown>>;
  /** Values used when neither the request nor the model's entry has one. */
  readonly otherwise?: Readonly<Record<string, unknown>>;
  /** Values derived from the request, which replace those of the request or the model. */
  readonly made: Readonly<Record<string, unknown>>;
  readonly assets: Readonly<Record<string, Source | readonly Source[] | undefined>>;
}

/** Fields that only the service uses; they are not sent to a provider. */
const own = ["model", "display_name", "tags", "confirmation_token", "enhance_prompt"];

/** `task` builds the input for the farm and for simulated models, which have no field mapping. */
export function inputFor(understood: Understood, task: () => TaskInput): TaskInput {
  return isRemote(understood.model.provider) ? providerInput(understood) : task();
}

function providerInput({ model, request, otherwise, made, assets }: Understood): ProviderInput {
  const all = { ...otherwise, ...model.defaults, ...listGivenFields(request), ...made };
  const { duration_seconds: seconds } = all;
  const fields = Object.entries({ ...all, seconds }).filter(
    ([name, value]) => isPresent(value) && !own.includes(name) && !/_asset_ids?$/.test(name),
  );
  return {
    fields: Object.fromEntries(fields),
    assets: Object.fromEntries(Object.entries(assets).flatMap(presentAsset)),
  };
}

function listGivenFields(request: Understood["request"]): Understood["request"] {
  return Object.fromEntries(Object.entries(request).filter(([, value]) => isPresent(value)));
}

/** An empty text counts as absent. */
function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

function presentAsset([name, asset]: [string, Source | readonly Source[] | undefined]) {
  const isThere = asset !== undefined && !("length" in asset && asset.length === 0);
  return isThere ? [[name, asset] as const] : [];
}
