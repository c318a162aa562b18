import type { Klieg } from "../clients/typescript/src/klieg.ts";
import type { surveyConfiguration } from "../config/configuration.ts";
import type { ProviderConfig } from "../config/provider-config.ts";
import type { ClientSettings } from "../config/settings.ts";
import type { Web } from "../engine/ports/web.ts";
import type { Provider } from "../providers/provider.ts";

/** What one run of the command line may touch. */
export interface Session {
  /** Opens the client on first use, so that `--help` needs neither service nor credential. */
  readonly client: () => Promise<Klieg>;
  /** Throws `SettingsError`. */
  readonly settings: () => ClientSettings;
  /** Of a store that no service uses. Throws `DataDirectoryError`. */
  readonly checkStore: (dataDir: string, repairs: boolean) => Promise<readonly StoreFinding[]>;
  /**
   * Of a store that no service uses; undefined when they are there already. Throws `CommandError`.
   */
  /** Whether a service uses it now. */
  readonly isServed: (dataDir: string) => boolean;
  /** Into an empty data directory. Throws `CommandError`. */
  readonly restoreBackup: (folder: string, dataDir: string) => Promise<RestoredBackup>;
  /** False when it belonged to one before. Throws `CommandError`. */
  readonly joinCluster: (dataDir: string) => boolean;
  /** Commands at the data directory of a service that is stopped. */
  readonly stoppedNode: () => Promise<StoppedNode>;
  readonly moveObjects: (
    to: "s3" | "disk",
    removesSource: boolean,
    onMoved: (moved: MovedObjects) => void,
  ) => Promise<MovedObjects | undefined>;
  /** As the service would read them. Throws `SettingsError`. */
  readonly surveyConfiguration: () => ReturnType<typeof surveyConfiguration>;
  /** Throws `CommandError` for an adapter that is not there. */
  readonly openProvider: (config: ProviderConfig) => Promise<Provider>;
  /** For links that lead elsewhere than to the service. */
  readonly openWeb: () => Promise<Web>;
  /** Resolves when a person or the system asks the command to end, which it then does itself. */
  readonly stopped: () => Promise<void>;
  readonly terminal: Terminal;
}

/** Each throws `CommandError`. */
export interface StoppedNode {
  /** False when it was forgotten before. */
  readonly forget: (dataDir: string, node: string) => boolean;
  /** `onWait` is told when NATS starts or elects, and is asked again. */
  readonly surveyLoss: (
    dataDir: string,
    shard: string,
    accepts: boolean,
    onWait: () => void,
  ) => Promise<ShardLoss>;
  /** `onStep` is told what was done, as a sentence. */
  readonly reshard: (
    dataDir: string,
    shardCount: number,
    onStep: (sentence: string) => void,
  ) => Promise<void>;
}

/** Of a shard, what a node has and what of the rest can be known. */
export interface ShardLoss {
  readonly shard: string;
  readonly own: Reached;
  readonly owner: { readonly node: string; readonly members: readonly string[] };
  /** The end of the log; undefined where it holds no record. */
  readonly log: Reached | undefined;
  /** Whether the log's records go on from the node's. */
  readonly isLogKept: boolean;
  readonly others: readonly (Reached & { readonly node: string })[];
  /** Whether nothing that was acknowledged can be on another node alone. */
  readonly isNothingLost: boolean;
}

/** The last record of some place. */
interface Reached {
  readonly epoch: number;
  readonly seq: number;
}

/** Something about a store, as one sentence for the operator. */
export interface StoreFinding {
  readonly sentence: string;
  readonly kind: "harmless" | "damage" | "repaired";
}

export interface RestoredBackup {
  /** Of the instant that it shows. */
  readonly atMs: number;
  readonly areObjectsInBucket: boolean;
}

export interface MovedObjects {
  readonly sent: number;
  /** Were there before with equal bytes. */
  readonly found: number;
  /** Of both. */
  readonly bytes: number;
}

export interface Terminal {
  /** Results: what a script reads. */
  readonly print: (line: string) => void;
  /** Everything said to a person meanwhile. */
  readonly say: (text: string) => void;
  /** Writes over the line that was drawn before, for a person's terminal. */
  readonly redraw: (text: string) => void;
  /** The text for an interrupt by the person, until the returned function is called. */
  readonly onInterrupt: (words: () => string) => () => void;
  /** Whether `say` reaches a person's terminal, where a line can be drawn over. */
  readonly isInteractive: boolean;
}

export interface Command {
  /** What selects it: `generate image`. */
  readonly name: string;
  /** What follows the name. */
  readonly usage: string;
  readonly summary: string;
  /** One line an option, for `--help`. */
  readonly options: readonly string[];
  readonly run: (args: readonly string[], session: Session) => Promise<void>;
}

const helpColumn = 28;

/** A line of `--help`. */
export function optionLine(option: string, help: string): string {
  return `${option.padEnd(helpColumn)}${help}`;
}

/** The command was written wrongly: exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The command was right and could not be done: one sentence, exit code 1. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** The one argument that a command takes. Throws `UsageError`. */
export function onlyArgument(positionals: readonly string[], what: string): string {
  const [argument, unexpected] = positionals;
  if (argument === undefined || argument.trim() === "") throw new UsageError(`Name ${what}.`);
  if (unexpected !== undefined)
    throw new UsageError(`"${unexpected}" is one argument too many; put quotes around ${what}.`);
  return argument;
}

/** Undefined stays undefined; the range is the service's to check. Throws `UsageError`. */
export function wholeNumber(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text))
    throw new UsageError(`${option} is "${text}"; give it a whole number.`);
  return Number(text);
}
