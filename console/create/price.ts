import type { Model } from "../../clients/typescript/src/generated/models.ts";
import { count } from "../format.ts";

const units: Readonly<Record<string, string>> = {
  images: "a picture",
  seconds: "a second",
  characters_1000: "per 1000 characters",
  megapixels: "a megapixel",
};

/** Formats a model's price, such as `2 credits a second`. The exact price comes from the quote. */
export function computePrice({ price, modality }: Model): string {
  const { base, per } = price;
  const parts = Object.entries(per)
    .filter(([, each]) => each !== undefined && each > 0)
    .map(
      ([unit, each = 0]) =>
        `${count(each)} ${unit === "images" && modality === "three_d" ? "per photo" : (units[unit] ?? unit)}`,
    );
  if (base > 0 || parts.length === 0) parts.unshift(count(Math.max(base, price.minimum)));
  const [first = "", ...others] = parts;
  const [amount = "", ...rest] = first.split(" ");
  const word = amount === "1" ? "credit" : "credits";
  return [[amount, word, ...rest].join(" "), ...others].join(" + ");
}
