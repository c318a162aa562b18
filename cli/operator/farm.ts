/** `klieg farm`: only its help and errors; config/klieg itself becomes the farm node. */
import { parseArgs } from "node:util";
import { type Command, CommandError } from "../command.ts";

export const farm: Command = {
  name: "farm",
  usage: "",
  summary: "Run a farm node, which finds its services through KLIEG_NATS_URL.",
  options: [],
  async run(args) {
    parseArgs({ args: [...args], options: {} });
    throw new CommandError("A farm node can only be started with npx klieg farm or npm run farm.");
  },
};
