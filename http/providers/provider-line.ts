/**
 * The main thread's end of the conversation with the effects thread about providers
 * and the farm: tells it what is configured, signs links for it, asks it, and remembers how each
 * provider is.
 */

import { limits } from "../../config/limits.ts";
import type {
  EffectsQuestion,
  FarmNodeState,
  FarmTasks,
  FromEffectsThread,
  LinkQuestion,
  Links,
  ProviderQuestion,
  ProviderSetup,
  ProviderState,
  ToEffectsThread,
} from "../../effects/effects-messages.ts";
import type { CallbackAnswer } from "../../effects/provider-jobs.ts";
import type { Id } from "../../engine/id.ts";
import type { Sample } from "../../engine/metrics/tally.ts";
import { answerQuestion, Questions } from "../../engine/questions.ts";
import type { Health } from "../../providers/provider.ts";

export interface LinePorts {
  /** As it is now. */
  readonly setup: () => Omit<ProviderSetup, "kind" | "drained">;
  readonly sign: (question: LinkQuestion) => Links;
  readonly onFault: (error: unknown) => void;
}

export class ProviderLine {
  private readonly ports: LinePorts;
  private readonly healths = new Map<string, Health>();
  private readonly questions = new Questions<EffectsQuestion>((message) => this.tell(message));
  private tell: (message: ToEffectsThread) => void = () => {};
  /** Names of farm nodes; a later life of the effects thread is told of them. */
  private readonly drained = new Set<string>();
  private isBegun = false;

  constructor(ports: LinePorts) {
    this.ports = ports;
  }

  /** Where messages for the effects thread go. */
  connect(tell: (message: ToEffectsThread) => void): void {
    this.tell = tell;
  }

  /** The directory can be read: what is configured is known, and links can be signed. */
  begin(): void {
    this.isBegun = true;
    this.refresh();
  }

  /** Configuration or pauses changed. */
  refresh(): void {
    if (this.isBegun)
      this.tell({ kind: "setup", ...this.ports.setup(), drained: [...this.drained] });
  }

  onReady(): void {
    this.refresh();
  }

  onGone(): void {
    this.healths.clear();
    this.questions.lose();
  }

  onMessage(message: unknown): void {
    this.take(message as FromEffectsThread);
  }

  /** Rejects with a `PortError` while the effects thread is away; so do the other questions. */
  states(): Promise<readonly ProviderState[]> {
    return this.questions.ask({ kind: "states" });
  }

  /** Reads a job at its provider now; resolves to whether there was something to read. */
  read(job: Id): Promise<boolean> {
    return this.questions.ask({ kind: "read", job });
  }

  farmNodes(): Promise<readonly FarmNodeState[]> {
    return this.questions.ask({ kind: "farm_nodes" });
  }

  farmTasks(): Promise<FarmTasks> {
    return this.questions.ask({ kind: "farm_tasks" });
  }

  /** Resolves to a JPEG in base64; null where there is none. */
  farmThumbnail(id: Id): Promise<string | null> {
    return this.questions.ask({ kind: "farm_thumbnail", id });
  }

  /** Resolves to whether there is such a node. */
  async drainFarmNode(name: string): Promise<boolean> {
    const isHere = await this.questions.ask<boolean>({ kind: "drain_farm_node", name });
    if (isHere) this.drained.add(name);
    for (const oldest of this.drained)
      if (this.drained.size > limits.farm.nodesMax) this.drained.delete(oldest);
    return isHere;
  }

  /** What that thread has counted since the last time. */
  samples(): Promise<readonly Sample[]> {
    return this.questions.ask({ kind: "samples" });
  }

  callBack(question: Omit<Extract<ProviderQuestion, { kind: "callback" }>, "kind">) {
    return this.questions.ask<CallbackAnswer>({ kind: "callback", ...question });
  }

  /** Of a provider that nothing was heard of yet: up. */
  health(provider: string): Health {
    return this.healths.get(provider) ?? "up";
  }

  private take(message: FromEffectsThread): void {
    switch (message.kind) {
      case "answer":
        this.questions.take(message);
        return;
      case "health":
        this.healths.set(message.provider, message.health);
        return;
      case "question":
        void answerQuestion(
          message,
          (question) => this.ports.sign(question),
          this.ports.onFault,
        ).then((answer) => this.tell(answer));
    }
  }
}

declare module "../service.ts" {
  interface Service {
    /** To the thread that asks providers. */
    readonly line: ProviderLine;
  }
}
