import type { Session } from "../../cli/command.ts";
import { runCommandLine } from "../../cli/command-line.ts";

/**
 * Runs a command line in this process. It may use the `given` parts of its session; every other
 * part throws. Returns the lines that were printed as results and the texts for the user.
 */
export async function runCommand(args: readonly string[], given: Partial<Session> = {}) {
  const out: string[] = [];
  const said: string[] = [];
  const refuse = () => {
    throw new Error("the command may use only what the test gives it");
  };
  const code = await runCommandLine(args, {
    client: refuse,
    origin: refuse,
    openBrowser: refuse,
    examine: refuse,
    settings: refuse,
    checkStore: refuse,
    isServed: refuse,
    restoreBackup: refuse,
    joinCluster: refuse,
    stoppedNode: refuse,
    moveObjects: refuse,
    surveyConfiguration: refuse,
    openProvider: refuse,
    openWeb: refuse,
    stopped: refuse,
    terminal: {
      print: (line) => out.push(line),
      say: (text) => said.push(text),
      redraw: () => {},
      onInterrupt: () => () => {},
      isInteractive: false,
    },
    ...given,
  });
  return { code, out, said };
}
