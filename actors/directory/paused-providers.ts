/** Providers that an operator paused, by name, in one row that every HTTP thread reads. */
import { limits } from "../../config/limits.ts";
import { type Context, put } from "../../engine/actor.ts";
import type { Question, ReplyTo } from "../../engine/address.ts";
import { createKey, type Key } from "../../engine/key.ts";
import { codes } from "../table-codes.ts";
import type { AuditNote } from "./audit.ts";
import type { Directory } from "./directory.ts";
import { answerWith, changeDirectory, type DirectoryDecision } from "./directory-decision.ts";

export interface PauseProvider extends Question<ProviderPaused> {
  readonly kind: "pause_provider";
  readonly provider: string;
  readonly isPaused: boolean;
  readonly audit: AuditNote;
}

interface ProviderPaused {
  readonly kind: "provider_paused";
}

export const pausedProvidersKey: Key<readonly string[]> = createKey(0, codes.pausedProviders, "");

/** Pauses or resumes a provider. A provider that is no longer configured may stay paused. */
export function pauseProvider(
  head: Directory,
  { provider, isPaused, audit }: PauseProvider,
  ctx: Context<ReplyTo<PauseProvider>>,
): DirectoryDecision {
  const before = ctx.get(pausedProvidersKey) ?? [];
  if (before.includes(provider) === isPaused)
    return answerWith(head, ctx, { kind: "provider_paused" });
  const others = before.filter((name) => name !== provider);
  const all = isPaused ? [...others, provider] : others;
  const paused = all.slice(-limits.providers.pausedMax);
  return changeDirectory(head, ctx, {
    rows: [put(pausedProvidersKey, paused)],
    reply: { kind: "provider_paused" },
    audit,
  });
}
