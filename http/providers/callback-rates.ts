import { limits } from "../../config/limits.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import { exceeds, findClient } from "../transport/clients.ts";
import type { TrustedProxies } from "../transport/trusted-proxies.ts";

/**
 * Limits callbacks per second: for each provider those that carry a job's token, and for each
 * client those that carry none, so that strangers cannot use up a provider's limit.
 */
export class CallbackRates {
  private readonly clock: Clock;
  private readonly proxies: TrustedProxies;
  private second = 0;
  private readonly counts = new Map<string, number>();

  constructor(clock: Clock, proxies: TrustedProxies) {
    this.clock = clock;
    this.proxies = proxies;
  }

  /** Counts one callback with a job's token. Throws `RefusalError` with 429. */
  countProvider(provider: string): void {
    if (this.add(`provider ${provider}`) > limits.callbacks.perSecond) throw tooMany();
  }

  /** Counts one without token, unless from a trusted proxy. Throws `RefusalError` with 429. */
  countClient(address: string): void {
    if (this.proxies.has(address)) return;
    const add = (name: string) => this.add(`client ${name}`);
    if (exceeds(findClient(address), limits.callbacks.perSecond, add)) throw tooMany();
  }

  /** Adds one to this second's count and returns it. */
  private add(name: string): number {
    const second = Math.floor(this.clock.nowMs() / 1000);
    if (second !== this.second) this.counts.clear();
    this.second = second;
    const count = (this.counts.get(name) ?? 0) + 1;
    this.counts.set(name, count);
    return count;
  }
}

function tooMany(): RefusalError {
  return new RefusalError({ code: "rate_limit", retryAfterSeconds: 1 });
}

declare module "../service.ts" {
  interface Service {
    readonly callbackRates: CallbackRates;
  }
}
