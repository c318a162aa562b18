/** Formats a number with its noun, in the singular or plural. */

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

export function isOrAre(number: number): string {
  return number === 1 ? "is" : "are";
}

export function wasOrWere(number: number): string {
  return number === 1 ? "was" : "were";
}
