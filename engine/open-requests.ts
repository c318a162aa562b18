import type { RequestId } from "./address.ts";

/** Requests that wait for their replies, under ids that count up. */
export class OpenRequests<Waiter> {
  private readonly waiters = new Map<RequestId, Waiter>();
  private next: RequestId;

  constructor(first: RequestId) {
    this.next = first;
  }

  add(waiter: Waiter): RequestId {
    const request = this.next++;
    this.waiters.set(request, waiter);
    return request;
  }

  /** Removes and returns a waiter; undefined when it was taken before or never existed. */
  take(request: RequestId): Waiter | undefined {
    const waiter = this.waiters.get(request);
    this.waiters.delete(request);
    return waiter;
  }

  /** Removes and returns all waiters that match. */
  takeWhere(isMeant: (waiter: Waiter) => boolean): Waiter[] {
    const meant = [...this.waiters].filter(([, waiter]) => isMeant(waiter));
    for (const [request] of meant) this.waiters.delete(request);
    return meant.map(([, waiter]) => waiter);
  }
}
