/** SIGKILL at each step of a job, for the providers that `test/crash/` does not cover. */
import t from "tap";
import { providerCases } from "../crash/provider-cases.ts";
import { dieAtEachStep } from "../crash/provider-deaths.ts";

// The tests wait most of the time.
t.jobs = 2;
for (const provider of providerCases.filter(({ name }) => name !== "comfyui"))
  t.test(`SIGKILL at each step of a job at ${provider.name}`, { buffered: true }, (t) =>
    dieAtEachStep(t, provider),
  );
