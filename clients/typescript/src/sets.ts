import type { CallOptions } from "./caller.ts";
import type { OutputSet } from "./generated/models.ts";
import { SetsCalls } from "./generated/sets-calls.ts";
import { pause } from "./retry.ts";

const betweenReadsMs = 500;

/** Sets of pictures, and waiting until each has ended. */
export class Sets extends SetsCalls {
  /** The set once none of its members runs any more: `ready`, `partial` or `failed`. */
  async wait(id: string, options: CallOptions = {}): Promise<OutputSet> {
    for (;;) {
      const set = await this.get(id, options);
      if (set.status !== "generating") return set;
      await pause(betweenReadsMs, options.signal);
    }
  }
}
