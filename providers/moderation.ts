/** Recognizes refusals that come from a content filter. */
import type { FailureClass } from "../actors/protocol/job.ts";

type Moderation = Extract<FailureClass, `moderation_${string}`>;

export interface ModerationRefusal {
  readonly class: Moderation;
  /** A sentence of our own: filters name what they detected, and its owner. */
  readonly message: string;
}

const safety: ModerationRefusal = {
  class: "moderation_safety",
  message: "The provider's content filter refused this generation.",
};
const protectedWork: ModerationRefusal = {
  class: "moderation_ip",
  message: "The provider's content filter detected a likeness or a protected work.",
};

/** Classifies the text of a filter's refusal. */
export function moderationBy(text: string): ModerationRefusal {
  return namesOwner.test(text) ? protectedWork : safety;
}

/** Beginnings of words that name an owner's rights. */
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
