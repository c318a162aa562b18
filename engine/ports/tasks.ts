/**
 * The task port: how a farm node takes work. The actor that wants the work owns attempts; a lease
 * is only the right to report under one attempt token, so a late or doubled report is harmless.
 *
 * node -> broker: hello, capacity, heartbeat, finished, returned.   broker -> node: lease, cancel,
 * drain. A node that misses `limits.leaseMs` of heartbeats loses its lease and the task is offered
 * again.
 *
 * A node may split its task into parts that idle nodes, its helper nodes, make with it. Only the
 * node knows: parts are as volatile as the lease, and end with it. node -> broker: split, take,
 * made.   broker -> node: part, made.
 *
 * A node that has no way to the objects of its own asks for each under a lease. node -> broker:
 * ask.   broker -> node: granted, denied. A lease covers what is below its `outputPrefix`, and
 * below that in the volatile objects; it may get, besides, what its input names as `objectKey` or
 * `manifestKey`, and what that manifest names as `objectKey`. A helper task reads what its lead
 * does.
 */
export interface Task {
  /** Token of this attempt, which names the lease in every later message. */
  readonly token: string;
  /** Kind of task, for example `studio-image`; selects the node's worker function. */
  readonly kind: string;
  /** Input for that kind, checked by the worker function's schema. */
  readonly input: unknown;
  /** Prefix under which the outputs' objects are stored. */
  readonly outputPrefix: string;
  /** Trace, span and flags of the client that traces the request (W3C Trace Context). */
  readonly trace?: string;
}

export type FromNode =
  | {
      readonly kind: "hello";
      /** Name of the node, unique among all nodes. */
      readonly node: string;
      /** Version of the release that the node runs. */
      readonly version?: string;
      readonly slots: number;
      readonly kinds: readonly string[];
    }
  /** How many tasks it has room for from now on; as many as its slots until it says so. */
  | { readonly kind: "capacity"; readonly slots: number }
  /** At least every `limits.heartbeatMs` for each lease; progress is 0 to 1. */
  | {
      readonly kind: "heartbeat";
      readonly token: string;
      readonly progress: number;
      /** The current picture of the work as a JPEG in base64, when there is a new one. */
      readonly thumbnail?: string;
    }
  | { readonly kind: "finished"; readonly token: string; readonly outcome: TaskOutcome }
  /** Hands the task back, which is no failed attempt: the node is full, or about to end. */
  | { readonly kind: "returned"; readonly token: string }
  | ObjectAsk
  /** The task under `token` has parts 0 to `parts` - 1; what it was split into before is void. */
  | {
      readonly kind: "split";
      readonly token: string;
      /** The node's name as a maker of this task's parts. */
      readonly member: string;
      readonly parts: number;
      readonly helpers: HelperTask;
    }
  /** Wants a part; answered when there is one, or when all are made. */
  | { readonly kind: "take"; readonly member: string }
  | {
      readonly kind: "made";
      readonly member: string;
      readonly part: number;
      readonly result: unknown;
    };

/** `id` is chosen by the node, a different one for each question under a token. */
export interface ObjectAsk {
  readonly kind: "ask";
  readonly token: string;
  readonly id: number;
  readonly order: "get" | "put" | "remove";
  readonly key: string;
}

/** Task for nodes that join; each gets a token of its own, which is its member name. */
export type HelperTask = Omit<Task, "token">;

export type ToNode =
  | { readonly kind: "lease"; readonly task: Task }
  | { readonly kind: "cancel"; readonly token: string }
  /** Answers one `ask`: where the object is reached for some minutes; `null`: it is removed. */
  | {
      readonly kind: "granted";
      readonly token: string;
      readonly id: number;
      readonly url: string | null;
    }
  | {
      readonly kind: "denied";
      readonly token: string;
      readonly id: number;
      readonly reason: string;
      readonly retryable: boolean;
    }
  /** Answers one `take`; `null`: all parts are made. */
  | { readonly kind: "part"; readonly member: string; readonly part: number | null }
  /** To the node that split the task: another one made a part. */
  | {
      readonly kind: "made";
      readonly member: string;
      readonly part: number;
      readonly result: unknown;
    }
  /** Take nothing new, finish or drop what runs, then exit. */
  | { readonly kind: "drain" };

export type TaskOutcome =
  | {
      readonly kind: "succeeded";
      readonly outputs: readonly TaskOutput[];
      /** Sentences about what the result lacks. */
      readonly warnings?: readonly string[];
      /** Choices that the worker made, under its own names. */
      readonly details?: object;
    }
  /**
   * `retryable`: another attempt may succeed (a crashed browser), else the input itself is at
   * fault.
   */
  | {
      readonly kind: "failed";
      readonly message: string;
      readonly retryable: boolean;
      /** Set when a page, or the whole task, exceeded its time limit. */
      readonly isTimeout?: true;
      /** Sentences about what was found before the failure. */
      readonly warnings?: readonly string[];
    };

/** One stored object and what a probe found in it. */
export interface TaskOutput {
  readonly objectKey: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly width?: number;
  readonly height?: number;
  readonly durationSeconds?: number;
  readonly hasAudio?: boolean;
  /** Frames per second; for videos only. */
  readonly frameRate?: number;
  /** Object key of a JPEG with a long edge of 512 px; for sound, of a PNG of its waveform. */
  readonly thumbnailKey?: string;
}

/** The node's end of the connection; adapters: child-process messages, NATS, memory. */
export interface BrokerConnection {
  send(message: FromNode): void;
  onMessage(listener: (message: ToNode) => void): void;
  /** Calls `listener` when the broker is gone: the node stops. */
  onClose(listener: () => void): void;
}

/** The broker's end of the same connection. */
export interface NodeConnection {
  send(message: ToNode): void;
  onMessage(listener: (message: FromNode) => void): void;
  /** Calls `listener` when the node is gone: its leases lapse. */
  onClose(listener: () => void): void;
  /** Whether the node's messages can arrive; while they cannot, its silence proves nothing. */
  isAudible(): boolean;
}
