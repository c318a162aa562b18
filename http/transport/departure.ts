/** That a client has gone before its answer was whole: told once to all who wait for it. */
export class Departure {
  private listeners: (() => void)[] = [];
  private gone = false;

  isGone(): boolean {
    return this.gone;
  }

  /** Returns what takes the listener away again. */
  onGone(listener: () => void): () => void {
    this.listeners.push(listener);
    return () => {
      this.listeners = this.listeners.filter((other) => other !== listener);
    };
  }

  happen(): void {
    this.gone = true;
    for (const listener of this.listeners) listener();
    this.listeners = [];
  }
}
