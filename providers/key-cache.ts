/**
 * The keys with which a provider signs its callbacks, as it tells them. They are fetched when they
 * are first needed, at the age of `limits.providers.keysAgeMs`, and when none of them verifies,
 * since the provider may have others by now: then at most every `limits.providers.keysAgainMs`, so
 * that forged callbacks do not become as many requests.
 */
import { limits } from "../config/limits.ts";
import type { Clock } from "../engine/ports/clock.ts";

interface Fetch<Key> {
  readonly keys: Promise<readonly Key[]>;
  readonly atMs: number;
}

export class KeyCache<Key> {
  private readonly fetchKeys: () => Promise<readonly Key[]>;
  private readonly clock: Clock;
  private latest: Fetch<Key> | undefined;
  private known: { readonly keys: readonly Key[]; readonly atMs: number } | undefined;

  constructor(fetchKeys: () => Promise<readonly Key[]>, clock: Clock) {
    this.fetchKeys = fetchKeys;
    this.clock = clock;
  }

  /** Whether any key verifies. Rejects as the fetch does when it was needed and failed. */
  async isVerified(isVerifiedBy: (key: Key) => boolean): Promise<boolean> {
    const { known } = this;
    const isFresh = known !== undefined && this.ageMs(known) < limits.providers.keysAgeMs;
    if (isFresh && known.keys.some(isVerifiedBy)) return true;
    const { keys, atMs } = this.latestFetch();
    this.known = { keys: await keys, atMs };
    return this.known.keys.some(isVerifiedBy);
  }

  private latestFetch(): Fetch<Key> {
    const { latest } = this;
    if (latest !== undefined && this.ageMs(latest) < limits.providers.keysAgainMs) return latest;
    this.latest = { keys: this.fetchKeys(), atMs: this.clock.monotonicMs() };
    return this.latest;
  }

  private ageMs({ atMs }: { readonly atMs: number }): number {
    return this.clock.monotonicMs() - atMs;
  }
}
