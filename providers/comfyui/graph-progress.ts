/**
 * Progress of one graph, from the messages of a ComfyUI server while it runs: the completed nodes
 * and the share of the running one, over all nodes. It never falls.
 */
import { check, type Static, Type } from "../../config/schema.ts";

const Node = Type.String({ maxLength: 256 });
const Share = { value: Type.Number(), max: Type.Number() };

const Cached = Type.Object({ nodes: Type.Array(Node, { maxItems: 10_000 }) });
const Executing = Type.Object({ node: Type.Union([Node, Type.Null()]) });
const Executed = Type.Object({ node: Node });
const NodeProgress = Type.Object(Share);
const State = Type.Object({
  nodes: Type.Record(Type.String(), Type.Object({ ...Share, state: Type.String() })),
});
const isCached = check<Static<typeof Cached>>(Cached);
const isExecuting = check<Static<typeof Executing>>(Executing);
const isExecuted = check<Static<typeof Executed>>(Executed);
const isNodeProgress = check<Static<typeof NodeProgress>>(NodeProgress);
const isState = check<Static<typeof State>>(State);

export class GraphProgress {
  /** Progress from 0 to 1. */
  share = 0;
  private readonly nodeCount: number;
  private readonly done = new Set<string>();
  private running: string | undefined;

  constructor(nodeCount: number) {
    this.nodeCount = Math.max(1, nodeCount);
  }

  /** Takes one message about this graph. Unknown or malformed messages are ignored. */
  take(type: string, told: unknown): void {
    switch (type) {
      case "execution_cached":
        if (isCached(told)) for (const node of told.nodes) this.finish(node);
        break;
      case "executing":
        if (!isExecuting(told)) return;
        this.finish(this.running);
        this.running = told.node ?? undefined;
        break;
      case "executed":
        if (isExecuted(told)) this.finish(told.node);
        break;
      case "progress":
        if (isNodeProgress(told)) this.rise(toShare(told));
        break;
      case "progress_state":
        if (isState(told)) this.takeState(told);
    }
    this.rise(0);
  }

  private takeState({ nodes }: Static<typeof State>): void {
    let shares = 0;
    for (const [node, one] of Object.entries(nodes))
      if (one.state === "finished") this.finish(node);
      else if (one.state === "running") shares += toShare(one);
    this.rise(shares);
  }

  private finish(node: string | undefined): void {
    if (node !== undefined && this.done.size < this.nodeCount) this.done.add(node);
  }

  /** `shares` is the sum of the running nodes' shares. */
  private rise(shares: number): void {
    const share = Math.min(1, (this.done.size + shares) / this.nodeCount);
    this.share = Math.max(this.share, share);
  }
}

function toShare({ value, max }: { readonly value: number; readonly max: number }): number {
  return max > 0 ? Math.min(1, Math.max(0, value / max)) : 0;
}
