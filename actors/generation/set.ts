/** Resolves a set's request into its members, each checked like an image request of its own. */
import { omitUndefined } from "../../config/defined.ts";
import type { Fault } from "../../config/schema.ts";
import { GenerateSetRequest, type SetMember } from "../../contract/generation.ts";
import type { Refusal } from "../refusal.ts";
import { createCanonicalizer, withoutDefaults } from "./canonical.ts";
import type { Generation, Quoted, Sources } from "./generation.ts";
import { imageDefaults, resolveImage } from "./image.ts";
import { type Asking, chooseModel, invalid } from "./model-choice.ts";

export interface SetGeneration {
  readonly name: string | undefined;
  readonly members: readonly { readonly label: string; readonly work: Generation | Refusal }[];
  /** Members that would be submitted: all those before the first that is refused. */
  readonly submitted: readonly Generation[];
  readonly model: Generation["model"];
  readonly price: number;
  readonly canonical: string;
  readonly quoted: () => Quoted;
}

const canonical = createCanonicalizer(GenerateSetRequest.properties, {});

/** Resolves a set. If its first member is refused, the whole request is refused. */
export function resolveSet(
  request: GenerateSetRequest,
  asking: Asking,
  sources: Sources,
): SetGeneration | Refusal {
  const faults = findRepeatedLabels(request.members);
  if (faults.length > 0) return invalid(faults);
  const model = chooseModel(asking, request.base.model, "image", "set");
  if ("code" in model) return withPointers(model, "/base");
  const members = request.members.map((member, at) => ({
    label: member.label,
    work: withPointers(
      resolveImage(merge(request, member), asking, sources, "set"),
      `/members/${at}`,
    ),
  }));
  const submitted: Generation[] = [];
  for (const { work } of members) {
    if ("code" in work) break;
    submitted.push(work);
  }
  const first = members[0]?.work;
  if (first !== undefined && "code" in first) return first;
  const price = submitted.reduce((sum, generation) => sum + generation.price, 0);
  return {
    name: request.name,
    members,
    submitted,
    model,
    price,
    canonical: canonical(
      { ...request, base: withoutDefaults(request.base, model, imageDefaults) },
      model,
    ),
    quoted: () => sumQuotes(submitted),
  };
}

function findRepeatedLabels(members: readonly SetMember[]): Fault[] {
  const seen = new Set<string>();
  return members.flatMap(({ label }, at) => {
    const isRepeated = seen.has(label);
    seen.add(label);
    return isRepeated ? [{ pointer: `/members/${at}/label`, detail: "is used twice" }] : [];
  });
}

/** A member's own values take precedence over its overrides, and those over the base. */
function merge({ base }: GenerateSetRequest, member: SetMember) {
  const { prompt, prompt_suffix: suffix, overrides = {} } = member;
  const start = prompt ?? overrides.prompt ?? base.prompt;
  const full = suffix === undefined ? start : `${start ?? ""} ${suffix}`.trim();
  return { ...base, ...overrides, ...omitUndefined({ prompt: full }) };
}

function withPointers<T extends object>(result: T | Refusal, prefix: string): T | Refusal {
  if (!("code" in result) || result.code !== "validation") return result;
  const { faults } = result as Extract<Refusal, { code: "validation" }>;
  return invalid(faults.map(({ pointer, detail }) => ({ pointer: prefix + pointer, detail })));
}

function sumQuotes(submitted: readonly Generation[]): Quoted {
  const first = submitted[0]?.quoted() ?? { settings: [] };
  const shared = first.settings.filter(([label]) => label !== "Images");
  return { ...first, settings: [...shared, ["Members", String(submitted.length)]] };
}
