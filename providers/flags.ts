/** Marks by which models say that a filter saw something in what they deliver all the same. */
import { readMembers, readText } from "./advice.ts";

/** One for each item of the lists of an object, in their order; `all` for all that it holds. */
export type Flags = readonly boolean[] | "all";

const names = [
  ...["has_nsfw_concepts", "has_nsfw_concept", "nsfw_content_detected", "nsfw_detected"],
  ...["is_nsfw", "nsfw"],
] as const;

/** Empty where there is no mark. */
export function readFlags(value: unknown): Flags {
  const members = readMembers(value);
  const given = names.map((name) => members[name]);
  if (given.includes(true) || isFiltered(members)) return "all";
  const list = given.find((flags) => Array.isArray(flags));
  return Array.isArray(list) ? list.map((one) => one === true) : [];
}

/** As servers of OpenAI's API say it of one picture. */
function isFiltered(members: Readonly<Record<string, unknown>>): boolean {
  const { flagged, blocked } = readMembers(members["moderation"]);
  const categories = Object.values(readMembers(members["content_filter_results"]));
  return (
    flagged === true ||
    blocked === true ||
    members["respect_moderation"] === false ||
    categories.some((category) => readMembers(category)["filtered"] === true) ||
    /^content_filter/i.test(readText(members["finish_reason"]) ?? "")
  );
}

export function isFlagged(flags: Flags): boolean {
  return flags === "all" || flags.includes(true);
}

/** Whether they are for what an object holds that is no list. */
export function isWhole(flags: Flags): boolean {
  return flags === "all" || (flags.length > 0 && flags.every(Boolean));
}

/** The items of an object's list that its flags leave. */
export function keepItems(items: readonly unknown[], flags: Flags): readonly unknown[] {
  return flags === "all" ? [] : items.filter((_, at) => flags[at] !== true);
}
