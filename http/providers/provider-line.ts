/**
 * The main thread's channel to the effects thread about providers and the farm: it passes on the
 * configuration, signs links, sends questions, and remembers the health of each provider.
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
  /** Returns the current configuration. */
  readonly setup: () => Omit<ProviderSetup, "kind" | "drained">;
  readonly sign: (question: LinkQuestion) => Links;
  readonly onFault: (error: unknown) => void;
}

export class ProviderLine {
  private readonly ports: LinePorts;
  private readonly healths = new Map<string, Health>();
  private readonly questions = new Questions<EffectsQuestion>((message) => this.tell(message));
  private tell: (message: ToEffectsThread) => void = () => {};
  /** Names of drained farm nodes; an effects thread that is restarted receives them. */
  private readonly drained = new Set<string>();
  private isBegun = false;

  constructor(ports: LinePorts) {
    this.ports = ports;
  }

  /** Sets the function that sends messages to the effects thread. */
  connect(tell: (message: ToEffectsThread) => void): void {
    this.tell = tell;
  }

  /** Called once the directory can be read: the configuration is known, and links can be signed. */
  begin(): void {
    this.isBegun = true;
    this.refresh();
  }

  /** Called when the configuration or the paused providers changed. */
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

  /** Rejects with a `PortError` while the effects thread is down; the other questions do too. */
  states(): Promise<readonly ProviderState[]> {
    return this.questions.ask({ kind: "states" });
  }

  /** Polls a job at its provider now; resolves to whether there was anything to poll. */
  read(job: Id): Promise<boolean> {
    return this.questions.ask({ kind: "read", job });
  }

  farmNodes(): Promise<readonly FarmNodeState[]> {
    return this.questions.ask({ kind: "farm_nodes" });
  }

  farmTasks(): Promise<FarmTasks> {
    return this.questions.ask({ kind: "farm_tasks" });
  }

  /** Resolves to a JPEG in base64, or null when there is none. */
  farmThumbnail(id: Id): Promise<string | null> {
    return this.questions.ask({ kind: "farm_thumbnail", id });
  }

  /** Resolves to whether there is a farm node of that name. */
  async drainFarmNode(name: string): Promise<boolean> {
    const isHere = await this.questions.ask<boolean>({ kind: "drain_farm_node", name });
    if (isHere) this.drained.add(name);
    for (const oldest of this.drained)
      if (this.drained.size > limits.farm.nodesMax) this.drained.delete(oldest);
    return isHere;
  }

  /** Resolves to what the effects thread has counted since the previous call. */
  samples(): Promise<readonly Sample[]> {
    return this.questions.ask({ kind: "samples" });
  }

  callBack(question: Omit<Extract<ProviderQuestion, { kind: "callback" }>, "kind">) {
    return this.questions.ask<CallbackAnswer>({ kind: "callback", ...question });
  }

  /** Health of a provider; `up` until anything is known of it. */
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
    /** Channel to the thread that calls providers. */
    readonly line: ProviderLine;
  }
}
