/** `klieg doctor`: checks this machine and the settings before, and while, the service runs. */
import { parseArgs } from "node:util";
import { count } from "../../actors/count.ts";
import { type Command, CommandError } from "../command.ts";
import { table } from "../operator/table.ts";
import type { Finding } from "./finding.ts";

export const doctor: Command = {
  name: "doctor",
  usage: "[--json]",
  summary: "Check this machine, its settings, and the services that they name.",
  options: ["--json   print the findings as JSON"],
  async run(args, { examine, terminal }) {
    const { values } = parseArgs({ args: [...args], options: { json: { type: "boolean" } } });
    const findings = await examine();
    if (values.json === true) terminal.print(JSON.stringify(findings, undefined, 2));
    else for (const line of describe(findings)) terminal.print(line);
    const problems = findings.filter(({ status }) => status === "problem").length;
    if (problems > 0) throw new CommandError(`${count(problems, "problem")} found.`);
    terminal.say("No problems found.\n");
  },
};

function describe(findings: readonly Finding[]): readonly string[] {
  const rows = findings.map(({ status, subject, found, remedy }) => [
    status,
    subject,
    remedy === undefined ? found : `${found} ${remedy}`,
  ]);
  return table(["STATUS", "CHECKED", "FOUND"], rows);
}
