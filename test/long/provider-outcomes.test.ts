/**
 * Each scenario word at each adapter, through the whole service (as in `test/providers/outcomes`).
 */
import t from "tap";
import { providerCases } from "../crash/provider-cases.ts";
import { playScenarios } from "../providers/scenario-outcomes.ts";

// The tests wait most of the time.
t.jobs = 4;
for (const provider of providerCases)
  t.test(`each scenario at ${provider.name}`, { buffered: true }, (t) =>
    playScenarios(t, provider),
  );
