import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { openInProcess } from "../spec/in-process-service.ts";

const run = promisify(execFile);
const programs = join(import.meta.dirname, "../../../node_modules/.bin");

t.test("the published document passes redocly lint and spectral lint", async (t) => {
  const house = await openInProcess(t);
  const { text } = await house.stranger.get("/v1/openapi.json");
  const folder = t.testdir({
    "openapi.json": text,
    "spectral.yaml": 'extends: ["spectral:oas"]\n',
  });
  const file = join(folder, "openapi.json");
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const options = { env, cwd: folder, maxBuffer: 64 * 1024 * 1024 };
  const linted = await run(join(programs, "redocly"), ["lint", file, "--format=json"], options);
  t.match(JSON.parse(linted.stdout), { totals: { errors: 0, warnings: 0, ignored: 0 } });
  const asked = ["lint", "--fail-severity=hint", "--ruleset", join(folder, "spectral.yaml"), file];
  await t.resolves(run(join(programs, "spectral"), asked, options));
});
