type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Returns `members` without the undefined ones, for members that may be absent, not undefined. */
export function omitUndefined<T extends object>(members: T): Defined<T> {
  const kept: Record<string, unknown> = {};
  for (const name in members) if (members[name] !== undefined) kept[name] = members[name];
  return kept as Defined<T>;
}
