/** Notifies listeners once that a client disconnected before its answer was complete. */
export class Departure {
  private listeners: (() => void)[] = [];
  private gone = false;

  isGone(): boolean {
    return this.gone;
  }

  /** Returns a function that removes the listener. */
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
