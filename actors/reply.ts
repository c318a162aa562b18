/** Replies that several actors share. */
export interface Done {
  readonly kind: "done";
}

export const done: Done = { kind: "done" };
