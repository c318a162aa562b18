import { memoryBrokerConnection } from "../../engine/adapters/farm/memory-broker-connection.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import type { NodeConnection, Task, TaskOutput } from "../../engine/ports/tasks.ts";

interface Rendered {
  readonly mimeType: string;
  readonly width: number;
  readonly height: number;
  readonly warnings?: readonly string[];
  readonly details?: object;
}

/** A farm node that does nothing by itself: a test finishes or fails what it was leased. */
export class FarmDouble {
  readonly leases: Task[] = [];
  readonly canceled: string[] = [];
  private readonly objects: Objects;
  private readonly connection = memoryBrokerConnection();
  private readonly onGone: (() => void)[] = [];

  constructor(objects: Objects, attach: (node: NodeConnection) => void, slots: number) {
    this.objects = objects;
    const { node, broker } = this.connection;
    node.onMessage((message) => {
      if (message.kind === "lease") this.leases.push(message.task);
      else if (message.kind === "cancel") this.canceled.push(message.token);
    });
    attach({
      send: (message) => broker.send(message),
      onMessage: (listener) => broker.onMessage(listener),
      onClose: (listener) => void this.onGone.push(listener),
      isAudible: () => true,
    });
    const kinds = ["studio-image", "probe", "render", "measure"];
    node.send({ kind: "hello", node: "double", slots, kinds });
  }

  /** Returns the last lease. */
  get lease(): Task {
    const last = this.leases.at(-1);
    if (last === undefined) throw new Error("this node was leased nothing");
    return last;
  }

  progress(progress: number, { token }: Task = this.lease): void {
    this.connection.node.send({ kind: "heartbeat", token, progress });
  }

  /** Sends a heartbeat with a picture of what is being made. */
  show(jpeg: Uint8Array, progress: number, { token }: Task = this.lease): void {
    const thumbnail = Buffer.from(jpeg).toString("base64");
    this.connection.node.send({ kind: "heartbeat", token, progress, thumbnail });
  }

  /** Stores the pictures and reports the task as finished. */
  async finish(pictures: readonly Uint8Array[], task: Task = this.lease): Promise<void> {
    const outputs: TaskOutput[] = [];
    for (const [index, bytes] of pictures.entries()) {
      const objectKey = `${task.outputPrefix}/${index}.png`;
      const stored = await this.objects.put(objectKey, [bytes]);
      outputs.push({ objectKey, mimeType: "image/png", ...stored, width: 1024, height: 1024 });
    }
    const outcome = { kind: "succeeded", outputs } as const;
    this.connection.node.send({ kind: "finished", token: task.token, outcome });
  }

  /** Ends a render with what was made and what the worker reports beside it. */
  async render(
    { mimeType, width, height, warnings = [], details = {} }: Rendered,
    task: Task = this.lease,
  ): Promise<void> {
    const objectKey = `${task.outputPrefix}/0.${mimeType.split("/")[1]}`;
    const stored = await this.objects.put(objectKey, [Buffer.from("rendered")]);
    const output: TaskOutput = { objectKey, mimeType, ...stored, width, height };
    const outputs = [{ ...output, ...(mimeType === "video/mp4" ? { durationSeconds: 2 } : {}) }];
    const outcome = { kind: "succeeded", outputs, warnings, details } as const;
    this.connection.node.send({ kind: "finished", token: task.token, outcome });
  }

  /** Ends a measurement with one JSON object. */
  async measure(measurement: object, task: Task = this.lease): Promise<void> {
    const objectKey = `${task.outputPrefix}/measurement.json`;
    const stored = await this.objects.put(objectKey, [Buffer.from(JSON.stringify(measurement))]);
    const outputs = [{ objectKey, mimeType: "application/json", ...stored }];
    const outcome = { kind: "succeeded", outputs } as const;
    this.connection.node.send({ kind: "finished", token: task.token, outcome });
  }

  fail(message: string, retryable: boolean, { token }: Task = this.lease): void {
    const outcome = { kind: "failed", message, retryable } as const;
    this.connection.node.send({ kind: "finished", token, outcome });
  }

  /** Ends the node as if its process had died. */
  die(): void {
    for (const gone of this.onGone) gone();
    this.connection.broker.close();
  }
}
