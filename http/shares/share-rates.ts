/** Limits how often share links are resolved and how many wrong passwords are tried. */
import { limits } from "../../config/limits.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Entropy } from "../../engine/ports/entropy.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import { exceeds, findClient } from "../transport/clients.ts";
import type { TrustedProxies } from "../transport/trusted-proxies.ts";
import { WindowCounters } from "./window-counters.ts";

const { windowMs, wrongPasswordsMs, wrongPasswordsPerToken, counters, perAddress, perToken } =
  limits.shares;

export class ShareRates {
  private readonly proxies: TrustedProxies;
  /** Whether resolutions are counted at all. */
  private readonly countsResolutions: boolean;
  private readonly byAddress: WindowCounters;
  private readonly byToken: WindowCounters;
  private readonly wrong: WindowCounters;
  private readonly wrongByToken: WindowCounters;

  constructor(clock: Clock, entropy: Entropy, proxies: TrustedProxies, hasRates: boolean) {
    this.proxies = proxies;
    this.countsResolutions = hasRates;
    this.byAddress = new WindowCounters(clock, entropy, windowMs, counters);
    this.byToken = new WindowCounters(clock, entropy, windowMs, counters);
    this.wrong = new WindowCounters(clock, entropy, wrongPasswordsMs, counters);
    this.wrongByToken = new WindowCounters(clock, entropy, wrongPasswordsMs, counters);
  }

  /** Throws `RefusalError` with 429. Trusted proxies are not counted. */
  countResolution(address: string, digest: string): void {
    if (!this.countsResolutions) return;
    const isClient = !this.proxies.has(address);
    const add = (name: string) => this.byAddress.add(name);
    const isOverAddress = isClient && exceeds(findClient(address), perAddress, add);
    const isOverToken = this.byToken.add(digest) > perToken;
    if (isOverAddress || isOverToken) throw tooMany();
  }

  /**
   * Runs a check of a password, which counts as wrong until it has said otherwise: those that run
   * at the same time count too. Throws `RefusalError` with 429 beyond the wrong ones that one
   * client may give for one token, and all clients together.
   */
  async guard(address: string, digest: string, check: () => Promise<boolean>): Promise<boolean> {
    const client = findClient(address);
    const names = [client.name, ...(client.network === undefined ? [] : [client.network])].map(
      (name) => `${digest} ${name}`,
    );
    const count = (name: string) => this.wrong.count(`${digest} ${name}`) + 1;
    const isClientOver = exceeds(client, limits.shares.wrongPasswords, count);
    if (isClientOver || this.wrongByToken.count(digest) >= wrongPasswordsPerToken) throw tooMany();
    for (const name of names) this.wrong.add(name);
    this.wrongByToken.add(digest);
    let isWrong = false;
    try {
      isWrong = !(await check());
      return !isWrong;
    } finally {
      if (!isWrong) {
        for (const name of names) this.wrong.takeBack(name);
        this.wrongByToken.takeBack(digest);
      }
    }
  }
}

function tooMany(): RefusalError {
  const { retryAfterSeconds } = limits.shares;
  return new RefusalError({ code: "rate_limit", retryAfterSeconds });
}
