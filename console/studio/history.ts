/** What the edits were before and after each change: texts, so that undo gives back every byte. */

/** The file's text; undefined where there is none. */
export type Version = string | undefined;

export interface History {
  readonly past: readonly Version[];
  readonly now: Version;
  readonly future: readonly Version[];
  /** Names the last change, when the next of that name belongs to it. */
  readonly group?: string | undefined;
}

const keptMax = 200;

export function begin(now: Version): History {
  return { past: [], now, future: [] };
}

/** Changes of one group in a row, such as the letters of a text, are undone together. */
export function record(history: History, now: Version, group?: string): History {
  if (now === history.now) return history;
  const isSame = group !== undefined && group === history.group;
  const past = isSame ? history.past : [...history.past, history.now].slice(-keptMax);
  return { past, now, future: [], group };
}

export function undo({ past, now, future }: History): History {
  if (past.length === 0) return { past, now, future };
  return { past: past.slice(0, -1), now: past.at(-1), future: [now, ...future] };
}

export function redo({ past, now, future }: History): History {
  if (future.length === 0) return { past, now, future };
  return { past: [...past, now], now: future[0], future: future.slice(1) };
}
