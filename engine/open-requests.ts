import type { RequestId } from "./actor.ts";

/**
 * Requests that wait for their replies. Ids count up and replies come roughly in order, so they
 * stand in a list whose answered beginning is cut off now and then; a map costs several times that.
 */
export class OpenRequests<Waiter> {
  private waiters: (Waiter | undefined)[] = [];
  /** The id of the first in the list. */
  private first: RequestId;
  /** All before are answered. */
  private at = 0;

  constructor(first: RequestId) {
    this.first = first;
  }

  add(waiter: Waiter): RequestId {
    return this.first + this.waiters.push(waiter) - 1;
  }

  /** Undefined for one that was taken before, or never was. */
  take(request: RequestId): Waiter | undefined {
    const { waiters } = this;
    const place = request - this.first;
    const waiter = waiters[place];
    if (waiter === undefined) return undefined;
    waiters[place] = undefined;
    while (this.at < waiters.length && waiters[this.at] === undefined) this.at++;
    if (this.at > 1024 && this.at * 2 > waiters.length) this.cut();
    return waiter;
  }

  /** Takes all that are meant. */
  takeWhere(isMeant: (waiter: Waiter) => boolean): Waiter[] {
    const taken: Waiter[] = [];
    for (const [place, waiter] of this.waiters.entries()) {
      if (waiter === undefined || !isMeant(waiter)) continue;
      this.waiters[place] = undefined;
      taken.push(waiter);
    }
    return taken;
  }

  private cut(): void {
    this.waiters = this.waiters.slice(this.at);
    this.first += this.at;
    this.at = 0;
  }
}
