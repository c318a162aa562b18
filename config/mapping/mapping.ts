import type { WorkflowGraph } from "./workflow.ts";

/** The mapping that the service fills in for each job; plain data. */
export type Mapping =
  | { readonly kind: "template"; readonly template: Readonly<Record<string, unknown>> }
  /** Of ComfyUI; `inputs` are templates by `<node>.<input>`. */
  | {
      readonly kind: "workflow";
      readonly graph: WorkflowGraph;
      readonly inputs: Readonly<Record<string, unknown>>;
    };
