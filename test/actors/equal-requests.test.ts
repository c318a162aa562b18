/**
 * Tests that requests with the same meaning have one canonical body and one price, however they are
 * written, and that requests that differ have different ones. A submit is held to exactly what its
 * quote binds.
 */
import fc from "fast-check";
import t from "tap";
import { resolveImage } from "../../actors/generation/image.ts";
import { resolveSet } from "../../actors/generation/set.ts";
import { computePrice, type Units } from "../../actors/pricing.ts";
import type { Catalogue, ModelEntry } from "../../config/catalogue.ts";
import type { GenerateImageRequest } from "../../contract/generation.ts";
import { makeCatalogue, plainModel } from "./models.ts";

const runs = { numRuns: 10_000, seed: 20_261_120 };

const micro = (most: number) => fc.nat(most * 1_000_000);
const ratio = fc.constantFrom("1:1", "16:9", "9:16");
const resolution = fc.constantFrom("1k", "2k");

/** Amounts in millionths, so that the check needs no fractions. */
const rule = fc.record({
  base: micro(20),
  images: micro(10),
  megapixels: micro(10),
  factor: micro(4),
  minimum: fc.nat(40),
});
type DrawnRule = typeof rule extends fc.Arbitrary<infer Drawn> ? Drawn : never;

const model: fc.Arbitrary<ModelEntry> = fc
  .tuple(rule, ratio, resolution)
  .map(([{ base, images, megapixels, factor, minimum }, aspect_ratio, resolution]) => ({
    ...plainModel,
    defaults: { aspect_ratio, resolution },
    limits: { prompt_max: 100, "image.num_images_max": 3 },
    capabilities: { seed: true, prompt_enhance: true },
    operations: ["generate", "set"],
    price: {
      base: base / 1e6,
      per: { images: images / 1e6, megapixels: megapixels / 1e6 },
      multipliers: { resolution: { "2k": factor / 1e6 } },
      minimum,
    },
  }));

const request: fc.Arbitrary<Omit<GenerateImageRequest, "model">> = fc.record(
  {
    prompt: fc.constantFrom("a kite", " a kite ", "e\u0301te\u0301", "\u00e9t\u00e9", "ete"),
    num_images: fc.integer({ min: 1, max: 3 }),
    aspect_ratio: ratio,
    resolution,
    output_format: fc.constant("png" as const),
    enhance_prompt: fc.boolean(),
    seed: fc.nat(2),
    display_name: fc.constantFrom("x", "y"),
    tags: fc.array(fc.constantFrom("u", "v"), { maxLength: 2 }),
  },
  { requiredKeys: ["prompt"] },
);

/** Takes each member from one of two requests, in either order, so that equal ones are common. */
const pair = fc
  .tuple(request, request, fc.nat(511), fc.boolean())
  .map(([one, other, mask, isReversed]) => {
    const names = Object.keys({ ...one, ...other }) as (keyof typeof one)[];
    const members = names.flatMap((name, at) => {
      const value = ((mask >> at) & 1) === 1 ? other[name] : one[name];
      return value === undefined ? [] : [[name, value] as const];
    });
    const mixed: typeof one = Object.fromEntries(isReversed ? members.reverse() : members);
    return [one, { ...mixed, prompt: mixed.prompt ?? one.prompt ?? "" }] as const;
  });

const names = fc.constantFrom("plain", "plain-alias", "default");

function makeAsk(entry: ModelEntry) {
  const catalogue: Catalogue = { ...makeCatalogue(entry), find: () => entry };
  return { catalogue, plan: "free" } as const;
}

/** Writes out what a request means, with all defaults filled in. */
function describeSlugs(of: Omit<GenerateImageRequest, "model">, { defaults }: ModelEntry): string {
  const { prompt = "", aspect_ratio = defaults["aspect_ratio"], num_images = 1 } = of;
  const { resolution = defaults["resolution"], output_format = "png", enhance_prompt = false } = of;
  const { seed, display_name, tags } = of;
  const text = prompt.normalize("NFC").trim();
  return JSON.stringify([
    [text, aspect_ratio, num_images, resolution, output_format, enhance_prompt],
    [seed ?? null, display_name ?? null, tags ?? null],
  ]);
}

function makeImageRequest(
  entry: ModelEntry,
  name: string,
  of: Omit<GenerateImageRequest, "model">,
) {
  const found = resolveImage({ ...of, model: name }, makeAsk(entry), () => undefined);
  if ("code" in found) throw new Error(JSON.stringify(found));
  return found;
}

t.test("canonical bodies are equal exactly for equal requests, and so are prices", async (t) => {
  let equal = 0;
  fc.assert(
    fc.property(model, pair, names, names, (entry, [one, other], nameOfOne, nameOfOther) => {
      const a = makeImageRequest(entry, nameOfOne, one);
      const b = makeImageRequest(entry, nameOfOther, other);
      const isSame = describeSlugs(one, entry) === describeSlugs(other, entry);
      if (isSame) equal++;
      return (a.canonical === b.canonical) === isSame && (!isSame || a.price === b.price);
    }),
    runs,
  );
  t.ok(equal > 500, `${equal} pairs meant the same`);
});

t.test("a set is the same set however its model and its defaults are written", async (t) => {
  fc.assert(
    fc.property(model, request, names, (entry, { num_images: _, ...base }, name) => {
      const members = [{ label: "a" }, { label: "b", prompt_suffix: "at night" }];
      const of = (model: string, more: object) => {
        const set = { base: { ...base, ...more, model }, members };
        const found = resolveSet(set, makeAsk(entry), () => undefined);
        if ("code" in found) throw new Error(JSON.stringify(found));
        return found;
      };
      const { aspect_ratio = entry.defaults["aspect_ratio"], output_format = "png" } = base;
      const plain = of("plain", {});
      const spelled = of(name, { aspect_ratio, output_format });
      const sum = plain.submitted.reduce((sum, { price }) => sum + price, 0);
      const isOne = plain.canonical === spelled.canonical && plain.price === spelled.price;
      const other = of("plain", { prompt: "something else" });
      return isOne && plain.price === sum && other.canonical !== plain.canonical;
    }),
    runs,
  );
  t.pass("each was the same set");
});

t.test("a price is exact for every rule and every request", async (t) => {
  const units = fc.record({ images: fc.integer({ min: 1, max: 9 }), megapixels: micro(16) });
  fc.assert(
    fc.property(rule, units, fc.boolean(), (drawn, { images, megapixels }, isLarge) => {
      const { base, factor, minimum } = drawn;
      const entry = { ...plainModel, price: priceRule(drawn) };
      const billed: Units = { images, megapixels: megapixels / 1e6 };
      const options = isLarge ? { resolution: "2k" } : {};
      const million = 1_000_000n;
      const sum =
        BigInt(base) * million +
        BigInt(drawn.images) * BigInt(images) * million +
        BigInt(drawn.megapixels) * BigInt(megapixels);
      const scaled = isLarge ? sum * BigInt(factor) : sum * million;
      const unit = million ** 3n;
      const credits = Number(scaled / unit) + (scaled % unit === 0n ? 0 : 1);
      return computePrice(entry, billed, options) === Math.max(minimum, credits);
    }),
    runs,
  );
  t.pass("each was exact");
});

function priceRule({ base, images, megapixels, factor, minimum }: DrawnRule): ModelEntry["price"] {
  return {
    base: base / 1e6,
    per: { images: images / 1e6, megapixels: megapixels / 1e6 },
    multipliers: { resolution: { "2k": factor / 1e6 } },
    minimum,
  };
}
