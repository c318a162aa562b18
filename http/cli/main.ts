import { adapters } from "../../actors/providers/adapters.ts";
import { surveyConfiguration } from "../../config/configuration.ts";
import { readClientSettings, readSettings } from "../../config/settings.ts";
import { systemClock } from "../../engine/adapters/system-clock.ts";
import { systemEntropy } from "../../engine/adapters/system-entropy.ts";
import { Client } from "../client/client.ts";
import { CommandError } from "./command.ts";
import { runCommandLine } from "./command-line.ts";
import { findAddress } from "./credential.ts";

/** As a shell counts it: 128 and the signal's number. */
const interruptedCode = 130;

let lastWords: (() => string) | undefined;
process.on("SIGINT", () => {
  process.stderr.write(lastWords?.() ?? "\n");
  process.exit(interruptedCode);
});

const settings = () => readClientSettings(process.env);
let opened: Client | undefined;

process.exitCode = await runCommandLine(process.argv.slice(2), {
  client: async () => {
    opened ??= new Client(await findAddress(settings()));
    return opened;
  },
  settings,
  async checkStore(dataDir, repairs) {
    process.umask(0o077);
    const { checkStore } = await import("../../engine/adapters/store-check.ts");
    const { DataDirectoryError } = await import("../../engine/adapters/data-directory.ts");
    const { domain } = await import("../../actors/domain.ts");
    try {
      return await checkStore({ dataDir, domain, nowMs: systemClock.nowMs(), repairs });
    } catch (error) {
      if (error instanceof DataDirectoryError) throw new CommandError(error.message);
      throw error;
    }
  },
  surveyConfiguration: () => surveyConfiguration(readSettings(process.env, 1), process.env),
  async openProvider(config) {
    const { openWeb } = await import("../../engine/adapters/web.ts");
    const ports = { web: openWeb(), clock: systemClock, entropy: systemEntropy() };
    return adapters[config.adapter](config, ports);
  },
  terminal: {
    print: (line) => process.stdout.write(`${line}\n`),
    say: (text) => process.stderr.write(text),
    onInterrupt(words) {
      lastWords = words;
      return () => {
        lastWords = undefined;
      };
    },
    isInteractive: process.stderr.isTTY === true,
  },
});
