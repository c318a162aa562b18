/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { replace } from "./replace.ts";

/** Counts requests of scripts that have not ended, so that no frame depends on their speed. */
export class Requests {
  private waiting = 0;
  /** Checks left, a millisecond or more apart, before waiting is given up. */
  private looksLeft = 2_000;
  private readonly soon: (call: () => void, delayMs: number) => void;

  constructor(soon: (call: () => void, delayMs: number) => void) {
    this.soon = soon;
  }

  take(view: Window & typeof globalThis): void {
    for (const name of ["fetch", "createImageBitmap"]) this.count(view, name);
    for (const name of ["arrayBuffer", "blob", "json", "text"])
      this.count(view.Response.prototype, name);
    this.count(view.FontFace.prototype, "load");
    this.count(view.HTMLImageElement.prototype, "decode");
    const { send } = view.XMLHttpRequest.prototype;
    const counted = this.countRequests.bind(this);
    replace(
      view.XMLHttpRequest.prototype,
      "send",
      function (this: XMLHttpRequest, body: XMLHttpRequestBodyInit | null) {
        void counted(
          new Promise((resolve) => this.addEventListener("loadend", resolve, { once: true })),
        );
        send.call(this, body);
      },
    );
  }

  /** Whether the page was waited for so long that no frame waits any more. */
  get isExhausted(): boolean {
    return this.looksLeft <= 0;
  }

  isWaiting(documents: readonly Document[]): boolean {
    return (
      this.waiting > 0 ||
      documents.some(({ images }) => [...images].some(({ complete }) => !complete))
    );
  }

  /** Resolves once all requests have ended. */
  async onEnd(documents: () => readonly Document[]): Promise<void> {
    for (; this.looksLeft > 0 && this.isWaiting(documents()); this.looksLeft -= 1)
      await new Promise<void>((resolve) => this.soon(resolve, 1));
  }

  private countRequests<T>(work: Promise<T>): Promise<T> {
    this.waiting += 1;
    const finish = (): void => {
      this.waiting -= 1;
    };
    work.then(finish, finish);
    return work;
  }

  /** Replaces a method by one that counts its pending promises. */
  private count(owner: object, name: string): void {
    const real: unknown = Reflect.get(owner, name);
    if (typeof real !== "function") return;
    const counted = this.countRequests.bind(this);
    replace(owner, name, function (this: unknown, ...values: unknown[]) {
      return counted(Promise.resolve(Reflect.apply(real, this, values)));
    });
  }
}
