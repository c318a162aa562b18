/** Where a submit is found again, by a callback and by a look-up; `test/long/` has the others. */
import t from "tap";
import { providerCases } from "./provider-cases.ts";
import { dieAtEachStep } from "./provider-deaths.ts";

// They wait most of the time.
t.jobs = 2;
for (const provider of providerCases.filter(({ name }) => /^(fal|comfyui)$/.test(name)))
  t.test(`SIGKILL at each step of a job at ${provider.name}`, { buffered: true }, (t) =>
    dieAtEachStep(t, provider),
  );
