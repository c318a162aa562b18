/**
 * The operations of the load's clients and their results, in the order in which they happened. An
 * operation whose outcome is `unknown` may have taken effect, or may still do so.
 */
export type What = "job" | "set" | "render" | "asset";

export type Act =
  /** A client repeats a create with the same key until it knows the outcome. */
  | { readonly kind: "create"; readonly what: What; readonly key: string }
  | { readonly kind: "cancel"; readonly id: string }
  /** Each number is given once. */
  | { readonly kind: "rename"; readonly id: string; readonly to: number }
  | { readonly kind: "read"; readonly id: string };

/** State shown by a read; `name` only for things that are renamed. */
export interface Seen {
  readonly status: string;
  readonly name?: number;
}

export type Result =
  /** `id` is of the created thing; `seen` is what a read showed, undefined if nothing was found. */
  | { readonly outcome: "ok"; readonly id?: string; readonly seen?: Seen | undefined }
  | { readonly outcome: "fail" }
  | { readonly outcome: "unknown" };

export interface Operation {
  readonly account: string;
  readonly act: Act;
  /** Places in the history; `returned` is infinite while the outcome is unknown. */
  readonly invoked: number;
  readonly returned: number;
  readonly result: Result;
}

type Open = { -readonly [Name in keyof Operation]: Operation[Name] };

export class History {
  private readonly all: Open[] = [];
  private place = 0;

  get operations(): readonly Operation[] {
    return this.all;
  }

  /** Resolves to the result of `run`, after adding it to the history. */
  async record(account: string, act: Act, run: () => Promise<Result>): Promise<Result> {
    const operation: Open = {
      account,
      act,
      invoked: ++this.place,
      returned: Number.POSITIVE_INFINITY,
      result: { outcome: "unknown" },
    };
    this.all.push(operation);
    const result = await run();
    operation.result = result;
    if (result.outcome !== "unknown") operation.returned = ++this.place;
    return result;
  }
}
