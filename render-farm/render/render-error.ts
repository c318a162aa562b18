import { PortError } from "../../engine/ports/port-error.ts";

/** Kinds of render failures, which begin the error's message: `invalid_composition: ...`. */
export type FaultKind =
  | "invalid_composition"
  | "media_unavailable"
  | "render_timeout"
  | "out_of_memory"
  | "internal";

export class RenderError extends Error {
  override readonly name = "RenderError";
  readonly kind: FaultKind;
  readonly isRetryable: boolean;

  constructor(kind: FaultKind, sentence: string, isRetryable = false, cause?: unknown) {
    super(`${kind}: ${sentence}`, { cause });
    this.kind = kind;
    this.isRetryable = isRetryable;
  }
}

/** A damaged file is a fault of the composition; a killed program is a fault of the node. */
export function mediaFault(name: string, failure: unknown): unknown {
  if (!(failure instanceof PortError) || failure.retryable) return failure;
  return new RenderError("media_unavailable", `${name}: ${failure.message}`, false, failure);
}

/** Warnings about parts left out or shown otherwise; each distinct sentence is kept once. */
export class Warnings {
  private readonly sentences = new Set<string>();
  private readonly most: number;
  private heir: Warnings | undefined;

  constructor(most: number) {
    this.most = most;
  }

  add(sentence: string): void {
    if (this.heir !== undefined) this.heir.add(sentence);
    else if (this.sentences.size < this.most) this.sentences.add(sentence.slice(0, 500));
  }

  /** Passes all warnings, present and future, on to `heir`. */
  leaveTo(heir: Warnings): void {
    this.heir = heir;
    for (const sentence of this.sentences) heir.add(sentence);
  }

  all(): readonly string[] {
    return [...this.sentences];
  }
}
