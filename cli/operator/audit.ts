/** `klieg audit`: audits all accounts of the running service and prints every discrepancy. */
import { parseArgs } from "node:util";
import { count, isOrAre } from "../../actors/count.ts";
import { type Command, CommandError } from "../command.ts";

export const audit: Command = {
  name: "audit",
  usage: "[--json]",
  summary: "Check the credits and counts of all accounts (scope admin).",
  options: ["--json  print violations as JSON, one object per line"],
  async run(args, { client, terminal }) {
    const { values } = parseArgs({
      args: [...args],
      options: { json: { type: "boolean", default: false } },
    });
    const service = await client();
    const sums = { accounts: 0, jobs: 0, broken: 0 };
    const moving: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await service.admin.invariants({ cursor });
      for (const item of page.items)
        terminal.print(
          values.json
            ? JSON.stringify(item)
            : `Account ${item.account_id} breaks ${item.invariant}: ${item.detail}`,
        );
      sums.accounts += page.accounts;
      sums.jobs += page.jobs;
      sums.broken += page.items.length;
      moving.push(...page.moving);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    if (moving.length > 0)
      terminal.say(
        `Too busy to be checked, so run it again: ${moving.map((id) => `account ${id}`).join(", ")}.\n`,
      );
    const counts = [count(sums.accounts, "account"), count(sums.jobs, "job")];
    const checked = `${counts.join(" and ")} were checked`;
    if (sums.broken > 0)
      throw new CommandError(
        `${checked}; ${count(sums.broken, "invariant")} ${isOrAre(sums.broken)} broken.`,
      );
    if (moving.length > 0) throw new CommandError(`${checked}; the others were too busy.`);
    const line = values.json ? JSON.stringify(sums) : `${checked}; no invariant is broken.`;
    terminal.print(line);
  },
};
