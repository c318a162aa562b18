/** Marks by which models report that a filter flagged something in a delivered result. */
import { readMembers, readText } from "./advice.ts";

/** One flag for each item of an object's lists, in their order; `all` for all of its contents. */
export type Flags = readonly boolean[] | "all";

const names = [
  ...["has_nsfw_concepts", "has_nsfw_concept", "nsfw_content_detected", "nsfw_detected"],
  ...["is_nsfw", "nsfw"],
] as const;

/** The flags of an object, or an empty list when it has no mark. */
export function readFlags(value: unknown): Flags {
  const members = readMembers(value);
  const given = names.map((name) => members[name]);
  if (given.includes(true) || isFiltered(members)) return "all";
  const list = given.find((flags) => Array.isArray(flags));
  return Array.isArray(list) ? list.map((one) => one === true) : [];
}

/** Whether a picture is marked as filtered in the format of OpenAI-compatible servers. */
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

/** Whether the flags apply to members of the object that are not lists. */
export function isWhole(flags: Flags): boolean {
  return flags === "all" || (flags.length > 0 && flags.every(Boolean));
}

/** Returns the items of an object's list that are not flagged. */
export function keepItems(items: readonly unknown[], flags: Flags): readonly unknown[] {
  return flags === "all" ? [] : items.filter((_, at) => flags[at] !== true);
}
