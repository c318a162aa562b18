/** A provider that looks up submits after a kill; `test/long/` covers the other providers. */
import t from "tap";
import { providerCases } from "./provider-cases.ts";
import { dieAtEachStep } from "./provider-deaths.ts";

for (const provider of providerCases.filter(({ name }) => name === "comfyui"))
  t.test(`SIGKILL at each step of a job at ${provider.name}`, (t) => dieAtEachStep(t, provider));
