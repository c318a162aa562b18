import { signal } from "../view.ts";

/** By composition, the asset that was rendered last or that the user selected. */
export const newest = signal<Readonly<Record<string, string>>>({});

export function show(compositionId: string, assetId: string): void {
  if (newest.value[compositionId] === assetId) return;
  newest.value = { ...newest.value, [compositionId]: assetId };
}
