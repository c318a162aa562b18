import { readClientSettings } from "../../config/settings.ts";
import { Client } from "../client.ts";
import { runCommandLine } from "./command-line.ts";
import { findAddress } from "./credential.ts";

const settings = () => readClientSettings(process.env);
let opened: Client | undefined;

process.exitCode = await runCommandLine(process.argv.slice(2), {
  client: async () => {
    opened ??= new Client(await findAddress(settings()));
    return opened;
  },
  settings,
  terminal: {
    print: (line) => process.stdout.write(`${line}\n`),
    say: (text) => process.stderr.write(text),
    isInteractive: process.stderr.isTTY === true,
  },
});
