import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import t, { type Test } from "tap";

const run = promisify(execFile);
const config = join(import.meta.dirname, "../../config");

/** Returns the limits that another process reads when started with these overrides. */
async function readWith(t: Test, text: string): Promise<Record<string, unknown>> {
  const folder = t.testdir({ "limits.json": text });
  const script = `
    const { limits } = await import("${config}/limits.js");
    const { plans } = await import("${config}/plans.js");
    const { limitsFault } = await import("${config}/overrides.js");
    console.log(JSON.stringify({ limits, plans, fault: limitsFault() }));`;
  const env = { KLIEG_LIMITS: join(folder, "limits.json"), PATH: process.env["PATH"] };
  const args = ["--input-type=module", "--eval", script];
  const { stdout } = await run(process.execPath, args, { env });
  return JSON.parse(stdout);
}

t.test("KLIEG_LIMITS names a JSON file that overrides configurable limits", async (t) => {
  const found = await readWith(
    t,
    '{"pricing":{"confirmationMs":60000},"rates":{"submit":5},"plans":{"free":{"concurrentMax":3}}}',
  );
  t.match(found, {
    fault: undefined,
    limits: {
      pricing: { confirmationMs: 60_000, enhancePromptCredits: 1 },
      rates: { submit: 5, read: 600 },
    },
    plans: { free: { concurrentMax: 3, monthlyCredits: 100 }, pro: { concurrentMax: 4 } },
  });
});

for (const [text, fault] of [
  ['{"jobs":{"waitsmax":5}}', /cannot set jobs\.waitsmax to 5/],
  ['{"jobs":{"waitsMax":"5"}}', /cannot set jobs\.waitsMax to "5"/],
  ['{"jobs":{"waitsMax":-1}}', /cannot set jobs\.waitsMax to -1/],
  ['{"engine":{"inboxMax":5}}', /no section named engine/],
  ['{"jobs":', /is not valid JSON/],
  ["[]", /is not a JSON object/],
] as const)
  t.test(`limits ${text} stop the start with a sentence`, async (t) => {
    t.match((await readWith(t, text))["fault"], fault);
  });
