import type { Klieg } from "../clients/typescript/src/klieg.ts";
import type { surveyConfiguration } from "../config/configuration.ts";
import type { ProviderConfig } from "../config/providers/provider-config.ts";
import type { ClientSettings } from "../config/settings.ts";
import type { Web } from "../engine/ports/web.ts";
import type { Provider } from "../providers/provider.ts";
import type { Finding } from "./doctor/finding.ts";

/** Everything that one run of the command line may use. */
export interface Session {
  /** Opens the client on first use, so that `--help` needs neither service nor credential. */
  readonly client: () => Promise<Klieg>;
  /** Finds the origin of the service, without a credential. */
  readonly origin: () => Promise<string>;
  /** Resolves to false when this machine has no browser to show. */
  readonly openBrowser: (address: string) => Promise<boolean>;
  /** Checks this machine and what the service's settings name. */
  readonly examine: () => Promise<readonly Finding[]>;
  /** Throws `SettingsError`. */
  readonly settings: () => ClientSettings;
  /** Checks a store that no service uses. Throws `DataDirectoryError`. */
  readonly checkStore: (dataDir: string, repairs: boolean) => Promise<readonly StoreFinding[]>;
  /** Whether a service uses the data directory now. */
  readonly isServed: (dataDir: string) => boolean;
  /** Restores a backup into an empty data directory. Throws `CommandError`. */
  readonly restoreBackup: (folder: string, dataDir: string) => Promise<RestoredBackup>;
  /** Returns false when the store already belonged to a cluster. Throws `CommandError`. */
  readonly joinCluster: (dataDir: string) => boolean;
  /** Commands that work on the data directory of a stopped service. */
  readonly stoppedNode: () => Promise<StoppedNode>;
  /**
   * Moves the objects of a store that no service uses; resolves to undefined when they are there
   * already. Throws `CommandError`.
   */
  readonly moveObjects: (
    to: "s3" | "disk",
    removesSource: boolean,
    onMoved: (moved: MovedObjects) => void,
  ) => Promise<MovedObjects | undefined>;
  /** Reads the configuration as the service would. Throws `SettingsError`. */
  readonly surveyConfiguration: () => Promise<ReturnType<typeof surveyConfiguration>>;
  /** Throws `CommandError` for an adapter that does not exist. */
  readonly openProvider: (config: ProviderConfig) => Promise<Provider>;
  /** Opens the client for links that do not lead to the service. */
  readonly openWeb: () => Promise<Web>;
  /** Resolves when the user or the system asks the command to end; it then ends by itself. */
  readonly stopped: () => Promise<void>;
  readonly terminal: Terminal;
}

/** Commands on a stopped node; each throws `CommandError`. */
export interface StoppedNode {
  /** Returns false when the node was forgotten before. */
  readonly forget: (dataDir: string, node: string) => boolean;
  /** `onWait` is called when NATS is starting or electing a leader, before another try. */
  readonly surveyLoss: (
    dataDir: string,
    shard: string,
    accepts: boolean,
    onWait: () => void,
  ) => Promise<ShardLoss>;
  /** `onStep` is called after each step, with a sentence about it. */
  readonly reshard: (
    dataDir: string,
    shardCount: number,
    onStep: (sentence: string) => void,
  ) => Promise<void>;
}

/** What a node holds of a shard, and what can be known about the rest. */
export interface ShardLoss {
  readonly shard: string;
  readonly own: Reached;
  readonly owner: { readonly node: string; readonly members: readonly string[] };
  /** Last record of the log; undefined when the log holds no record. */
  readonly log: Reached | undefined;
  /** Whether the log's records continue from the node's last one. */
  readonly isLogKept: boolean;
  readonly others: readonly (Reached & { readonly node: string })[];
  /** Whether no acknowledged record can exist on another node only. */
  readonly isNothingLost: boolean;
}

/** Position of a last record. */
interface Reached {
  readonly epoch: number;
  readonly seq: number;
}

/** A finding about a store, as one sentence for the operator. */
export interface StoreFinding {
  readonly sentence: string;
  readonly kind: "harmless" | "damage" | "repaired";
}

export interface RestoredBackup {
  /** The time whose state the backup holds. */
  readonly atMs: number;
  readonly areObjectsInBucket: boolean;
}

export interface MovedObjects {
  readonly sent: number;
  /** Number of objects that were at the target already, with equal bytes. */
  readonly found: number;
  /** Total size of the objects sent and found. */
  readonly bytes: number;
}

export interface Terminal {
  /** Prints results, which scripts read. */
  readonly print: (line: string) => void;
  /** Prints everything that is meant for the user. */
  readonly say: (text: string) => void;
  /** Overwrites the line that was drawn before, on an interactive terminal. */
  readonly redraw: (text: string) => void;
  /** Sets the text printed when the user interrupts, until the returned function is called. */
  readonly onInterrupt: (words: () => string) => () => void;
  /** Whether `say` writes to an interactive terminal, where a line can be overwritten. */
  readonly isInteractive: boolean;
}

export interface Command {
  /** Words that select the command, such as `generate image`. */
  readonly name: string;
  /** Arguments after the name, for `--help`. */
  readonly usage: string;
  readonly summary: string;
  /** Lines of `--help`, one per option. */
  readonly options: readonly string[];
  readonly run: (args: readonly string[], session: Session) => Promise<void>;
}

const helpColumn = 28;

/** Formats a line of `--help`. */
export function optionLine(option: string, help: string): string {
  return `${option.padEnd(helpColumn)}${help}`;
}

/** Wrong usage of a command: exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** A correct command that could not be done: one sentence, exit code 1. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** Returns the one argument that a command takes. Throws `UsageError`. */
export function onlyArgument(positionals: readonly string[], what: string): string {
  const [argument, unexpected] = positionals;
  if (argument === undefined || argument.trim() === "") throw new UsageError(`Name ${what}.`);
  if (unexpected !== undefined)
    throw new UsageError(`"${unexpected}" is one argument too many; put quotes around ${what}.`);
  return argument;
}

/** Parses a number, or undefined; the service checks its range. Throws `UsageError`. */
export function wholeNumber(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text))
    throw new UsageError(`${option} is "${text}"; set it to a whole number.`);
  return Number(text);
}
