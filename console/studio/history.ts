/** Undo history of the edits, kept as texts, so that undo restores every byte. */

/** Text of the edits file, or undefined where there is no file. */
export type Version = string | undefined;

export interface History {
  readonly past: readonly Version[];
  readonly now: Version;
  readonly future: readonly Version[];
  /** Group of the last change, if the next change of the same group should join it. */
  readonly group?: string | undefined;
}

const keptMax = 200;

export function begin(now: Version): History {
  return { past: [], now, future: [] };
}

/** Records a change. Successive changes of a group, such as typed letters, are undone together. */
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
