import type { RequestId } from "./address.ts";

/**
 * Requests that wait for their replies. Ids count up and most replies come soon, so the latest
 * stand in a list, which costs a fraction of a map; those that wait longer move into one, so that
 * none of them holds up the list.
 */
export class OpenRequests<Waiter> {
  private latest: (Waiter | undefined)[] = [];
  /** The id of the first of the latest. */
  private first: RequestId = 1;
  private readonly earlier = new Map<RequestId, Waiter>();

  /** From now on ids are at least that. */
  startAt(first: RequestId): void {
    if (first <= this.first + this.latest.length) return;
    this.setAside();
    this.first = first;
  }

  add(waiter: Waiter): RequestId {
    if (this.latest.length === latestMax) this.setAside();
    return this.first + this.latest.push(waiter) - 1;
  }

  /** Undefined for one that was taken before, or never was. */
  take(request: RequestId): Waiter | undefined {
    const place = request - this.first;
    const waiter = place < 0 ? this.earlier.get(request) : this.latest[place];
    if (place < 0) this.earlier.delete(request);
    else if (waiter !== undefined) this.latest[place] = undefined;
    return waiter;
  }

  /** Takes all that are meant. */
  takeWhere(isMeant: (waiter: Waiter) => boolean): Waiter[] {
    this.setAside();
    const taken = [...this.earlier].filter(([, waiter]) => isMeant(waiter));
    for (const [request] of taken) this.earlier.delete(request);
    return taken.map(([, waiter]) => waiter);
  }

  private setAside(): void {
    for (const [place, waiter] of this.latest.entries())
      if (waiter !== undefined) this.earlier.set(this.first + place, waiter);
    this.first += this.latest.length;
    this.latest = [];
  }
}

const latestMax = 4_096;
