/** Written by clients/generator from the published contract; do not edit it. */
import { segment, type CallOptions, type Caller } from "../caller.ts";
import type { Model, ModelPage, ModelsListQuery } from "./models.ts";

export class ModelsCalls {
  protected readonly caller: Caller;

  constructor(caller: Caller) {
    this.caller = caller;
  }

  /** Read a model. */
  get(id: string, options: CallOptions = {}): Promise<Model> {
    return this.caller.json<Model>(
      { method: "GET", path: `/models/${segment(id)}`, isRepeatable: true },
      options,
    );
  }

  /** List the models, with limits, options and prices. */
  list(query: ModelsListQuery = {}, options: CallOptions = {}): Promise<ModelPage> {
    return this.caller.json<ModelPage>(
      { method: "GET", path: "/models", query: { ...query }, isRepeatable: true },
      options,
    );
  }
}
