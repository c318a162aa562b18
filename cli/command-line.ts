/**
 * The command `klieg`: finds the command, answers `--help`, and turns every fault into one sentence
 * with a remedy. Exit codes: 0 done, 1 could not be done, 2 wrong usage.
 */

import { KliegError } from "../clients/typescript/src/klieg.ts";
import { SettingsError } from "../config/environment.ts";
import { version } from "../config/version.ts";
import { listModels, showAccount } from "./account.ts";
import { approveAgent, listAgents, mcp, startAgent, stopAgent } from "./agents.ts";
import { deleteAsset, listAssets, restoreAsset, showAsset } from "./assets.ts";
import { type Command, CommandError, type Session, UsageError } from "./command.ts";
import { completion } from "./completion.ts";
import { blocks } from "./compositions/blocks.ts";
import {
  cloneComposition,
  listCompositions,
  pushComposition,
} from "./compositions/compositions.ts";
import { exportTimeline } from "./compositions/export.ts";
import { pullComposition } from "./compositions/pull-composition.ts";
import { render } from "./compositions/render.ts";
import { cost } from "./cost.ts";
import { doctor } from "./doctor/doctor.ts";
import { enhancePrompt } from "./enhance-prompt.ts";
import { generateCommands } from "./generate.ts";
import { generateSet } from "./generate-set.ts";
import { cancelJob, listJobs, showJob } from "./jobs.ts";
import { lint } from "./lint.ts";
import { login, logout } from "./login.ts";
import { accountCreate } from "./operator/account-create.ts";
import { audit } from "./operator/audit.ts";
import { backup } from "./operator/backup.ts";
import { clusterJoin } from "./operator/cluster-join.ts";
import { farm } from "./operator/farm.ts";
import { modelsCheck } from "./operator/models-check.ts";
import { nodeForget } from "./operator/node-forget.ts";
import { drainNode, listNodes } from "./operator/nodes.ts";
import { objectsMove } from "./operator/objects-move.ts";
import { listProviders, pauseProvider, resumeProvider } from "./operator/providers.ts";
import { reshard } from "./operator/reshard.ts";
import { shardRebuild } from "./operator/shard-rebuild.ts";
import { storeCheck } from "./operator/store-check.ts";
import { storeRestore } from "./operator/store-restore.ts";
import { tokenReset } from "./operator/token-reset.ts";
import { preview } from "./preview/preview.ts";
import { share, shareList, shareRevoke } from "./shares.ts";
import { suggestNames } from "./suggestions.ts";
import { openConsole } from "./terminal/open-console.ts";
import { tokenCreate, tokenList, tokenRevoke } from "./tokens.ts";
import { upload } from "./upload.ts";
import { vendor } from "./vendoring/vendor.ts";

/** Groups of commands in the order of the help text. */
export const groups: readonly { readonly title: string; readonly commands: readonly Command[] }[] =
  [
    { title: "Make", commands: [...generateCommands, generateSet, enhancePrompt, cost] },
    { title: "Jobs", commands: [showJob, listJobs, cancelJob] },
    {
      title: "Assets and links",
      commands: [
        upload,
        listAssets,
        showAsset,
        deleteAsset,
        restoreAsset,
        share,
        shareList,
        shareRevoke,
      ],
    },
    {
      title: "Films",
      commands: [
        ...[render, exportTimeline, blocks, lint, preview, vendor],
        ...[listCompositions, pushComposition, pullComposition, cloneComposition],
      ],
    },
    { title: "Agents", commands: [listAgents, startAgent, approveAgent, stopAgent, mcp] },
    {
      title: "Account",
      commands: [
        ...[
          openConsole,
          showAccount,
          listModels,
          login,
          logout,
          tokenCreate,
          tokenList,
          tokenRevoke,
        ],
        completion(() => commands),
      ],
    },
    {
      title: "A running service, for operators",
      commands: [
        ...[
          accountCreate,
          audit,
          listProviders,
          pauseProvider,
          resumeProvider,
          listNodes,
          drainNode,
        ],
        ...[doctor, modelsCheck, farm, tokenReset, backup],
      ],
    },
    {
      title: "A stopped service, for operators",
      commands: [
        ...[storeCheck, storeRestore, clusterJoin, nodeForget, shardRebuild, reshard, objectsMove],
      ],
    },
  ];
export const commands: readonly Command[] = groups.flatMap((group) => group.commands);

/** Returns the exit code. Faults that are bugs are thrown. */
export async function runCommandLine(given: readonly string[], session: Session): Promise<number> {
  if (given[0] === "--version" || given[0] === "-V") {
    session.terminal.print(version);
    return 0;
  }
  // `help <command>` means `<command> --help`.
  const args = given[0] === "help" ? [...given.slice(1), "--help"] : given;
  const command = findCommand(args);
  const words = args.filter((_, at) => !args.slice(0, at + 1).some(isOption));
  if (args.length === 0 || (words.length === 0 && asksHelp(args))) {
    session.terminal.print(overview());
    return args.length === 0 ? 2 : 0;
  }
  if (command === undefined) {
    session.terminal.say(noSuchCommand(words, args));
    return 2;
  }
  const rest = args.slice(command.name.split(" ").length);
  if (asksHelp(rest)) {
    session.terminal.print(help(command));
    return 0;
  }
  try {
    await command.run(rest, session);
    return 0;
  } catch (fault) {
    if (isUsageFault(fault)) {
      session.terminal.say(`${fault.message} See klieg ${command.name} --help.\n`);
      return 2;
    }
    session.terminal.say(`${sentence(fault, command)}\n`);
    return 1;
  }
}

function isOption(word: string): boolean {
  return word.startsWith("-");
}

function noSuchCommand(words: readonly string[], args: readonly string[]): string {
  const names = suggestNames(
    commands.map(({ name }) => name),
    words,
  );
  const isBegun = commands.some(({ name }) => name.startsWith(`${words[0]} `));
  const written = isBegun ? words.slice(0, 2).join(" ") : (args[0] ?? "");
  const sentence = `klieg has no command "${written}"; see klieg --help.\n`;
  if (names.length === 0) return sentence;
  const isOne = names.length === 1;
  const list = names.map((name) => `  klieg ${name}\n`).join("");
  return `${sentence}Did you mean ${isOne ? "this" : "one of these"}?\n${list}`;
}

/** Finds the command with the longest matching name: `asset delete` before `asset`. */
function findCommand(args: readonly string[]): Command | undefined {
  const named = commands.filter((candidate) => isNamed(candidate, args));
  return named.sort((one, other) => other.name.length - one.name.length)[0];
}

function isNamed(command: Command, args: readonly string[]): boolean {
  return command.name.split(" ").every((word, index) => args[index] === word);
}

/** Words after `--` are text, as in parseArgs. */
function asksHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  const options = end < 0 ? args : args.slice(0, end);
  return options.includes("--help") || options.includes("-h");
}

function overview(): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = groups.flatMap(({ title, commands }) => [
    `${title}:`,
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    "",
  ]);
  return [
    "klieg <command>: the command line of Klieg.",
    "",
    ...lines,
    "klieg help <command> shows its options, klieg --version the version. A command that the service",
    "refuses because of load is retried for a while; with --no-wait it fails at once.",
    "KLIEG_URL and KLIEG_TOKEN name the service and",
    "the credential; unset, a login (klieg login) or the data directory of the service on this",
    "machine says both.",
  ].join("\n");
}

function help({ name, usage, summary, options }: Command): string {
  return [`klieg ${name} ${usage}`, summary, "", ...options.map((line) => `  ${line}`)].join("\n");
}

/** Errors of parseArgs can only be told apart by their code. */
function isUsageFault(fault: unknown): fault is Error {
  if (fault instanceof UsageError) return true;
  return (
    fault instanceof Error && "code" in fault && String(fault.code).startsWith("ERR_PARSE_ARGS")
  );
}

function sentence(fault: unknown, command: Command): string {
  if (fault instanceof CommandError || fault instanceof SettingsError) return fault.message;
  if (fault instanceof KliegError) return refusal(fault, command);
  if (fault instanceof Error && "syscall" in fault) return `${fault.message}.`;
  throw fault;
}

/** Fields are named by the options that the user wrote. */
function refusal(problem: KliegError, command: Command): string {
  if (problem.code === "unreachable")
    return problem.message.replace(/\.$/, ": start it with npm start, or set KLIEG_URL.");
  const fields = problem.errors.map(({ pointer, detail }) =>
    `${optionAt(pointer, command)} ${detail}`.trim(),
  );
  const reason = fields.length === 0 ? problem.message : `${fields.join("; ")}.`;
  return [`${problem.title}: ${reason}`, remedy(problem), trace(problem)]
    .filter((part) => part !== "")
    .join(" ");
}

/** Returns the option that set a field; a field without an option keeps its own name. */
function optionAt(pointer: string, { options }: Command): string {
  const [field = "", ...inner] = pointer.replace(/^[/?]/, "").split("/");
  const names = [field, field.replace(/_asset_ids?$/, ""), field.replace(/_ids?$/, "")];
  const known = names
    .map((name) => `--${name.replaceAll("_", "-")}`)
    .find((option) => options.some((line) => line.includes(`${option} `)));
  return known ?? [field, ...inner].join("/").replaceAll("_", " ");
}

function remedy({ status, retryAfter }: KliegError): string {
  switch (status) {
    case 401:
      return "Set KLIEG_TOKEN to a valid token, or run this where the service's admin-token is.";
    case 402:
      return "See the balance with klieg me; an operator adds credits.";
    case 403:
      return "Set KLIEG_TOKEN to a token that has this scope.";
    case 429:
    case 503:
      return retryAfter === undefined ? "Try again later." : `Try again in ${retryAfter} s.`;
    default:
      return "";
  }
}

/** Returns the request id for the operator's log, if the service is at fault. */
function trace({ status, requestId }: KliegError): string {
  return status >= 500 && requestId !== undefined ? `(request ${requestId})` : "";
}
