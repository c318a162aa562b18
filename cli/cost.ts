import { count, isOrAre } from "../actors/count.ts";
import { type Command, optionLine, UsageError } from "./command.ts";
import { readArguments } from "./generate.ts";
import { media } from "./media.ts";

/** Prices another command's request; nothing is held or charged. */
export const cost: Command = {
  name: "cost",
  usage: '<command> <its arguments>, for example: klieg cost generate image "a kite"',
  summary: "Show what a generation would cost.",
  options: [optionLine("--json", "print the quote with its confirmation token as JSON")],
  async run(args, session) {
    const medium = media.find(({ name }) => name.split(" ").every((word, at) => args[at] === word));
    if (medium === undefined) {
      const names = media.map(({ name }) => name).join(", ");
      throw new UsageError(`Name what to price: ${names}.`);
    }
    const rest = args.slice(medium.name.split(" ").length);
    const { json, request } = readArguments(medium, rest, session);
    const client = await session.client();
    const quote = await client.jobs.quote({ kind: medium.cost, [medium.cost]: await request() });
    if (json) {
      session.terminal.print(JSON.stringify(quote));
      return;
    }
    const { credits, settings, balance_credits: balance } = quote;
    session.terminal.print(count(credits, "credit"));
    for (const { label, value } of settings) session.terminal.print(`${label}: ${value}`);
    if (typeof balance === "number")
      session.terminal.say(`${count(balance, "credit")} ${isOrAre(balance)} left\n`);
  },
};
