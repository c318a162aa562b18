/** The form's values, kept for as long as the page is open; a link can set them. */
import type { Job, Model } from "../../clients/typescript/src/generated/models.ts";
import { getParameter } from "../place.ts";
import { klieg } from "../session.ts";
import { computed, signal } from "../view.ts";
import type { Body } from "./body.ts";
import { type FormField, listFields, type Value } from "./fields.ts";
import { getKind, isOfKind, type Kind, kindOfModel } from "./kinds.ts";

type Values = Readonly<Record<string, Value>>;

export const kindName = signal(getKind(undefined).name);
/** Selected model by kind, so that the choice for each kind is kept. */
export const modelIds = signal<Readonly<Record<string, string>>>({});
export const values = signal<Values>({});

export const kind = computed(() => getKind(kindName.value));

/** Returns the selected model, or the service's default. */
export function chooseModel(models: readonly Model[], of: Kind): Model | undefined {
  const able = models.filter((model) => isOfKind(model, of));
  return able.find(({ id }) => id === modelIds.value[of.name]) ?? able[0];
}

export function choose(of: Kind, modelId: string): void {
  modelIds.value = { ...modelIds.value, [of.name]: modelId };
}

export function set(name: string, value: Value | undefined): void {
  const { [name]: _, ...others } = values.value;
  values.value = value === undefined || value === "" ? others : { ...others, [name]: value };
}

/** Includes fields that the model has and whose values differ from its defaults. */
export function buildBody(model: Model, of: Kind): Body {
  const body: Record<string, unknown> & { model: string } = { model: model.id };
  for (const field of listFields(model, of)) {
    const value = getGivenTo(field);
    if (value !== undefined && value !== field.standard) body[field.name] = value;
  }
  return body;
}

/** Returns the value as the service takes it; undefined if unset or not among the options. */
function getGivenTo(field: FormField): unknown {
  const value = values.value[field.name];
  switch (field.kind) {
    case "choice":
      return field.options.find((option) => String(option) === String(value));
    case "number":
      if (typeof value !== "number") return undefined;
      return Math.min(field.max, Math.max(field.min, value));
    case "assets":
      if (!Array.isArray(value) || value.length === 0) return undefined;
      return field.name.endsWith("_ids") ? value.slice(0, field.max) : value[0];
    case "switch":
      return typeof value === "boolean" ? value : undefined;
    case "text":
    case "line":
      return typeof value === "string" && value.trim() !== "" ? value : undefined;
  }
}

/** Lists required fields without a value. */
export function listLacking(model: Model, of: Kind): readonly FormField[] {
  return listFields(model, of).filter(
    (field) => field.isRequired === true && getGivenTo(field) === undefined,
  );
}

/** Fills in the request of a job, to make another like it. */
export async function repeat({ model, request = {} }: Job): Promise<void> {
  fill(kindOfModel(await klieg.value.models.get(model)), { ...request, model });
}

/** Fills in the form from a request as it was sent. */
export function fill(of: Kind, body: Body): void {
  const { model, confirmation_token: _, ...fields } = body;
  kindName.value = of.name;
  choose(of, model);
  values.value = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      name.endsWith("_asset_id") ? [String(value)] : (value as Value),
    ]),
  );
}

/** Fills in the form from an address such as `?model=studio-image&prompt=a+kite`. */
export function fillFromAddress(models: readonly Model[]): void {
  const model = models.find(({ id }) => id === getParameter("model"));
  const prompt = getParameter("prompt");
  const of = model === undefined ? undefined : kindOfModel(model);
  if (of !== undefined && model !== undefined) {
    kindName.value = of.name;
    choose(of, model.id);
  }
  if (prompt !== undefined) {
    set("prompt", prompt);
    set("text", prompt);
  }
}
