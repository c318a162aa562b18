/** JSON bodies of the wrong shape, by seed: values swapped, added, repeated, nested, cut. */
import type { Dice } from "./dice.ts";

const values = [
  "null",
  "true",
  "-1",
  "1e400",
  "0.1",
  "9007199254740993",
  '""',
  '"\\ud800"',
  '"\\u0000"',
  '"../../etc/passwd"',
  `"${"x".repeat(20_000)}"`,
  "[]",
  "{}",
  "[[[[[[[[[[]]]]]]]]]]",
  '{"a":{"b":{"c":[null]}}}',
  '"00000000-0000-0000-0000-000000000000"',
  `[${"1,".repeat(5_000)}1]`,
  `{${Array.from({ length: 5_000 }, (_, n) => `"k${n}":${n}`).join(",")}}`,
] as const;

export function hostileBody(dice: Dice, members: readonly string[]): string {
  const parts = members
    .filter(() => dice.number(4) > 0)
    .map((name) => `"${name}":${dice.pick(values)}`);
  if (dice.number(3) === 0) parts.push(`"surprise":${dice.pick(values)}`);
  if (dice.number(6) === 0 && parts.length > 0) parts.push(parts[0] ?? "");
  const text = `{${parts.join(",")}}`;
  switch (dice.number(8)) {
    case 0:
      return text.slice(0, dice.number(text.length));
    case 1:
      return dice.pick(values);
    default:
      return text;
  }
}
