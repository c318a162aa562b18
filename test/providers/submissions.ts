/** Builds submissions from literals, and fills in what a test does not mention. */
import type { ProviderRef, Submission } from "../../providers/provider.ts";
import type { Stage } from "./stages.ts";

const calm: Submission = {
  job: "0198c0de-0000-7000-8000-000000000001",
  number: 1,
  modality: "image",
  prompt: "",
  count: 1,
  model: "kites/image",
  input: {},
  callbackUrl: undefined,
  timeLeftMs: 600_000,
  typicalSeconds: 10,
};

export function submission(prompt: string, more: Partial<Submission> = {}): Submission {
  return { ...calm, prompt, input: { prompt }, ...more };
}

/** Submits a job that the simulator accepts; resolves to its reference. */
export async function begin(
  { provider, callbackUrl, asking }: Stage,
  prompt: string,
  more: Partial<Submission> = {},
): Promise<ProviderRef> {
  const outcome = await provider.submit(
    submission(prompt, { callbackUrl, ...asking?.(prompt, 1), ...more }),
  );
  if (outcome.kind !== "accepted") throw new Error(`${prompt}: ${outcome.kind}`);
  return outcome.ref;
}
