import type { ModelEntry } from "../config/catalogue.ts";
import { limits } from "../config/limits.ts";

/** Billable amounts of a request, in the units of `price.per`. */
export interface Units {
  readonly images?: number;
  readonly seconds?: number;
  readonly characters_1000?: number;
  readonly megapixels?: number;
}

const places = 6;
const one = 10n ** BigInt(places);
/** Caches the catalogue's amounts in exact form, since they recur with every request. */
const exactByAmount = new Map<number, bigint>();

/**
 * max(minimum, ceil((base + sum(per * units)) * product(multipliers of the options))), in exact
 * decimals of six places and rounded once. Used for quotes and submits alike.
 */
export function computePrice(
  { price }: ModelEntry,
  units: Units,
  options: Readonly<Record<string, string | undefined>>,
): number {
  let amount = exact(price.base) * one;
  for (const unit of ["images", "seconds", "characters_1000", "megapixels"] as const)
    amount += exact(price.per[unit] ?? 0) * exact(units[unit] ?? 0);
  let scale = one * one;
  for (const [option, byValue] of Object.entries(price.multipliers)) {
    const multiplier = byValue[options[option] ?? ""];
    if (multiplier === undefined) continue;
    amount *= exact(multiplier);
    scale *= one;
  }
  const rounded = Number((amount + scale - 1n) / scale);
  return Math.max(price.minimum, rounded);
}

function exact(value: number): bigint {
  const known = exactByAmount.get(value);
  if (known !== undefined) return known;
  const [whole = "0", fraction = ""] = value.toFixed(places).split(".");
  const amount = BigInt(whole + fraction);
  if (exactByAmount.size < limits.pricing.amountsMax) exactByAmount.set(value, amount);
  return amount;
}
