import { parseArgs } from "node:util";
import { planNames } from "../../config/plans.ts";
import { type Command, type Session, UsageError, wholeNumber } from "../command.ts";

export const accountCreate: Command = {
  name: "account create",
  usage: "--email EMAIL [options]",
  summary: "Create an account and its first token (operators only).",
  options: [
    "--email EMAIL  the owner's address",
    `--plan PLAN    ${planNames.join(", ")} (free)`,
    "--credits N    the opening balance (the plan's monthly credits)",
    '--json         print { "account_id", "token" }',
  ],
  run,
};

async function run(args: readonly string[], { client, terminal }: Session): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      email: { type: "string" },
      plan: { type: "string" },
      credits: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const { email, json } = values;
  if (email === undefined)
    throw new UsageError("Set the email address of the account with --email.");
  const plan = planNames.find((name) => name === values.plan);
  if (plan !== values.plan)
    throw new UsageError(`--plan is "${values.plan}"; set it to one of ${planNames.join(", ")}.`);
  const credits = wholeNumber(values.credits, "--credits");
  const account = await (await client()).admin.createAccount({
    email,
    plan,
    credits,
    issue_token: true,
  });
  if (json) terminal.print(JSON.stringify({ account_id: account.id, token: account.token }));
  else {
    terminal.print(`account ${account.id}`);
    terminal.print(`token   ${account.token}`);
    terminal.say("The token is shown only this once.\n");
  }
}
