import type { CallOptions } from "./caller.ts";
import type { OutputSet } from "./generated/models.ts";
import { SetsCalls } from "./generated/sets-calls.ts";
import { pause } from "./retry.ts";

const betweenReadsMs = 500;

/** Sets of pictures: the calls of the contract, and waiting until every member has ended. */
export class Sets extends SetsCalls {
  /** Returns the set once none of its members is running: `ready`, `partial` or `failed`. */
  async wait(id: string, options: CallOptions = {}): Promise<OutputSet> {
    for (;;) {
      const set = await this.get(id, options);
      if (set.status !== "generating") return set;
      await pause(betweenReadsMs, options.signal);
    }
  }
}
