/** Written by clients/generator from the published contract; do not edit it. */
import { segment, type CallOptions, type Caller } from "../caller.ts";
import type { OutputSet, OutputSetPage, SetsListQuery } from "./models.ts";

export class SetsCalls {
  protected readonly caller: Caller;

  constructor(caller: Caller) {
    this.caller = caller;
  }

  /** Read an output set. */
  get(id: string, options: CallOptions = {}): Promise<OutputSet> {
    return this.caller.json<OutputSet>(
      { method: "GET", path: `/sets/${segment(id)}`, isRepeatable: true },
      options,
    );
  }

  /** List output sets, newest first. */
  list(query: SetsListQuery = {}, options: CallOptions = {}): Promise<OutputSetPage> {
    return this.caller.json<OutputSetPage>(
      { method: "GET", path: "/sets", query: { ...query }, isRepeatable: true },
      options,
    );
  }

  /** Cancel the members of a set that have not ended. */
  cancel(id: string, options: CallOptions = {}): Promise<OutputSet> {
    return this.caller.json<OutputSet>(
      { method: "POST", path: `/sets/${segment(id)}/cancel`, isRepeatable: true },
      options,
    );
  }
}
