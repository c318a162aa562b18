/** Sorts many items without blocking the thread: other work can run between slices. */
export async function sortInSlices<Item>(
  items: Iterable<Item>,
  compare: (one: Item, other: Item) => number,
  sliceLength: number,
  pause: () => Promise<void>,
): Promise<Item[]> {
  let runs: Item[][] = [];
  let run: Item[] = [];
  for (const item of items) {
    run.push(item);
    if (run.length < sliceLength) continue;
    runs.push(run.sort(compare));
    run = [];
    await pause();
  }
  runs.push(run.sort(compare));
  while (runs.length > 1) {
    const longer: Item[][] = [];
    for (let index = 0; index < runs.length; index += 2)
      longer.push(
        await merge(runs[index] ?? [], runs[index + 1] ?? [], compare, sliceLength, pause),
      );
    runs = longer;
  }
  return runs[0] ?? [];
}

async function merge<Item>(
  left: readonly Item[],
  right: readonly Item[],
  compare: (one: Item, other: Item) => number,
  sliceLength: number,
  pause: () => Promise<void>,
): Promise<Item[]> {
  const merged: Item[] = [];
  let [leftAt, rightAt] = [0, 0];
  while (leftAt < left.length && rightAt < right.length) {
    const [one, other] = [left[leftAt] as Item, right[rightAt] as Item];
    const isLeft = compare(one, other) <= 0;
    merged.push(isLeft ? one : other);
    if (isLeft) leftAt++;
    else rightAt++;
    if (merged.length % sliceLength === 0) await pause();
  }
  for (const rest of [left.slice(leftAt), right.slice(rightAt)])
    for (const item of rest) merged.push(item);
  return merged;
}
