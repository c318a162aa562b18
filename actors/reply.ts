/** What several actors answer. */
export interface Done {
  readonly kind: "done";
}

export const done: Done = { kind: "done" };
