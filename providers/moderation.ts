/** Which refusals are a content filter's. */
import type { FailureClass } from "../actors/protocol/job.ts";

type Moderation = Extract<FailureClass, `moderation_${string}`>;

export interface ModerationRefusal {
  readonly class: Moderation;
  /** In our own words: filters name what they saw, and whose they are. */
  readonly message: string;
}

const safety: ModerationRefusal = {
  class: "moderation_safety",
  message: "The provider's content filter refused this generation.",
};
const protectedWork: ModerationRefusal = {
  class: "moderation_ip",
  message: "The provider's filter saw a likeness or a protected work.",
};

/** What a filter's words mean. */
export function moderationBy(text: string): ModerationRefusal {
  return namesOwner.test(text) ? protectedWork : safety;
}

/** Beginnings of words. */
const namesOwner = new RegExp(
  [
    ...["likeness", "copyright", "trademark", "intellectual property", "public figure"],
    ...["celebrit", "protected work", "protected character"],
  ]
    .map((words) => `\\b${words}`)
    .join("|"),
  "i",
);

/**
 * Finds a filter's refusal in a failure's text by the operator's patterns: plain text in any case,
 * not in the middle of a word.
 */
export function moderationFinder(
  patterns: readonly string[],
): (text: string) => ModerationRefusal | undefined {
  const sources = patterns.map((pattern) => {
    const plain = pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return /^\w/.test(pattern) ? `(?<!\\w)${plain}` : plain;
  });
  if (sources.length === 0) return () => undefined;
  const isRefusal = new RegExp(sources.join("|"), "i");
  return (text) => (isRefusal.test(text) ? moderationBy(text) : undefined);
}
