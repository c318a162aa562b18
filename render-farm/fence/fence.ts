import { chmod, mkdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { limits } from "../../config/limits.ts";
import { runChild } from "../programs/child-process.ts";
import { findTool } from "../programs/find-tool.ts";
import { firstUser, OwnFolders } from "./own-folders.ts";

/** Resource limits of one process. */
export interface Bounds {
  /** Maximum memory. */
  readonly bytes: number;
  /** Maximum size of one file that it writes, including shared memory. */
  readonly fileBytes: number;
  /** Maximum processor time. */
  readonly seconds?: number;
  /** Largest number of files that the process may have open at once. */
  readonly files?: number;
}

/** Builds the words that start a program in the fence; the program's arguments follow them. */
export type FencedProgram = (user: number | undefined, bounds: Bounds) => readonly string[];

/** A file that a program consists of, and the folder in which it finds what else it needs. */
export interface ProgramFile {
  readonly path: string;
  readonly folder: string;
  /** The only parts of the folder that are shown; the folder itself may be closed to others. */
  readonly parts?: readonly string[];
}

interface View {
  readonly word: string;
  /** Command words placed before the program's own, which make the file visible to the user. */
  readonly binds: readonly string[];
}

function as(word: string): View {
  return { word, binds: [] };
}

/**
 * The fence around every program that reads foreign input: media, texts to speak, pages.
 *
 * 1. Namespaces of its own: a network in which there is nothing, not even loopback, and where the
 *    kernel allows it processes, mounts and messages. It sees no process but its own.
 * 2. Where the farm runs as root, the user of its task, who owns nothing but the task's folder and
 *    has no capability; nowhere any gain of rights by programs that run as their owner.
 * 3. Bounds on memory, time, and the length and number of files.
 * 4. The kernel ends it with the process that started it.
 *
 * A part that this machine does not allow is left out and reported.
 */
export class Fence {
  readonly folders: OwnFolders;
  /** Sentences about parts of the fence that are missing on this machine. */
  readonly warnings: string[] = [];
  private readonly found: Found;
  private shown = 0;

  private constructor(found: Found) {
    this.found = found;
    this.folders = new OwnFolders(found.users);
    const lacks = [
      ...(this.isOffline ? [] : ["a network of their own"]),
      ...(this.hasMounts ? [] : ["process and mount namespaces"]),
      ...(this.folders.hasUsers || !isRoot ? [] : ["users of their own"]),
      ...(found.bounds ? [] : ["limits on memory and time"]),
    ];
    if (lacks.length > 0)
      this.warnings.push(`isolation incomplete: media programs run without ${lacks.join(", ")}`);
  }

  /**
   * Finds out what this machine allows. `folder` lives as long as the node; the system's programs
   * are looked for in `searchPath`.
   */
  static async raise(searchPath: string, folder: string): Promise<Fence> {
    const find = (name: string): Promise<string> => findTool(undefined, name, searchPath);
    const programs = {
      unshare: await find("unshare"),
      setpriv: await find("setpriv"),
      prlimit: await find("prlimit"),
    };
    const offline = [programs.unshare, ...(isRoot ? [] : ["--map-current-user"]), "--net", "--ipc"];
    const alone = [...offline, "--mount", "--pid", "--fork", "--mount-proc"];
    const mortal = [programs.setpriv, ...mortally];
    const [isAlone, isOffline, isMortal, rights, users, bounds] = await Promise.all([
      canRun([...alone, "--", "true"]),
      canRun([...offline, "--", "true"]),
      canRun([...mortal, "--", "true"]),
      canRun([programs.setpriv, ...listRights(undefined), "--", "true"]),
      mayBeOthers(programs.setpriv),
      canRun([programs.prlimit, "--nofile=64", "--", "true"]),
    ]);
    return new Fence({
      ...programs,
      folder,
      mortal: isMortal ? [...mortal, "--"] : [],
      alone: isAlone ? [...alone, "--"] : isOffline ? [...offline, "--"] : [],
      rights,
      users,
      bounds,
    });
  }

  get isOffline(): boolean {
    return this.found.alone.length > 0;
  }

  private get hasMounts(): boolean {
    return this.found.alone.includes("--mount");
  }

  /**
   * Prepares a program that starts with these words, some of which are files. Files in folders that
   * only root can read are made visible to the task's user; where that is not possible, the program
   * runs as the farm's own user, and a warning is recorded.
   */
  async fit(...words: readonly (string | ProgramFile)[]): Promise<FencedProgram> {
    const found = words.map((word) => (typeof word === "string" ? as(word) : this.view(word)));
    const views = await Promise.all(found);
    const hidden = words.find((_, at) => views[at] === undefined);
    const isOpen = hidden === undefined;
    if (typeof hidden === "object")
      this.warnings.push(`${hidden.path} runs as root, because other users cannot read it`);
    const own = words.map((word) => (typeof word === "string" ? word : word.path));
    return (user, bounds) => [
      ...this.found.mortal,
      ...this.found.alone,
      ...(isOpen ? views.flatMap((view) => view?.binds ?? []) : []),
      ...this.meek(isOpen ? listRights(user) : kept),
      ...this.listBounds(user, bounds),
      ...(isOpen ? views.flatMap((view) => view?.word ?? []) : own),
    ];
  }

  /** Returns how a task's user reaches a file, or `undefined` when it cannot. */
  private async view(file: ProgramFile): Promise<View | undefined> {
    const { path, folder } = file;
    const mayRead = (word: string, before: readonly string[] = []): Promise<boolean> =>
      canRun([...before, ...this.meek(listRights(firstUser)), "test", "-r", word]);
    if (!this.folders.hasUsers || (await mayRead(path))) return as(path);
    if (!this.hasMounts) return undefined;
    const place = join(this.found.folder, `shown-${this.shown++}`);
    const binds = await this.bindFile(file, place);
    const word = join(place, relative(folder, path));
    return (await mayRead(word, [...this.found.alone, ...binds])) ? { word, binds } : undefined;
  }

  /** Returns the words that bind-mount a file's folders where this program alone can see them. */
  private async bindFile(
    { folder, parts = [""] }: ProgramFile,
    place: string,
  ): Promise<readonly string[]> {
    await chmod(this.found.folder, 0o711);
    for (const part of parts) await mkdir(join(place, part), { recursive: true, mode: 0o755 });
    const bind = 'mount --bind "$0" "$1" && shift && exec "$@"';
    return parts.flatMap((part) => ["sh", "-c", bind, join(folder, part), join(place, part)]);
  }

  private meek(privileges: readonly string[]): readonly string[] {
    const { setpriv, mortal, rights } = this.found;
    if (!rights) return [];
    return [setpriv, ...privileges, ...(mortal.length > 0 ? mortally : []), "--"];
  }

  private listBounds(
    user: number | undefined,
    { bytes, fileBytes, seconds, files }: Bounds,
  ): string[] {
    if (!this.found.bounds) return [];
    return [
      this.found.prlimit,
      ...[`--data=${bytes}`, `--fsize=${fileBytes}`, "--core=0"],
      ...(seconds === undefined ? [] : [`--cpu=${seconds}`]),
      ...(files === undefined ? [] : [`--nofile=${files}`]),
      ...(user === undefined ? [] : [`--nproc=${limits.capture.processesMax}`]),
      "--",
    ];
  }
}

interface Found {
  readonly unshare: string;
  readonly setpriv: string;
  readonly prlimit: string;
  readonly folder: string;
  /** Command words that make the kernel kill the program when its parent ends. */
  readonly mortal: readonly string[];
  /** Command words that run the program in namespaces of its own. */
  readonly alone: readonly string[];
  /** Whether privileges can be dropped, programs run as other users, and limits be set. */
  readonly rights: boolean;
  readonly users: boolean;
  readonly bounds: boolean;
}

const isRoot = process.getuid?.() === 0;
/** Sets PR_SET_PDEATHSIG (prctl(2)); a change of user clears it. */
const mortally = ["--pdeathsig", "KILL"];

/** Privileges of a program run as root: without them it could not work in a task's folder. */
const kept = ["--no-new-privs"];

function listRights(user: number | undefined): readonly string[] {
  if (!isRoot) return kept;
  const another = [`--reuid=${user}`, `--regid=${user}`, "--clear-groups"];
  const none = [...kept, "--inh-caps=-all", "--bounding-set=-all"];
  return user === undefined ? none : [...another, ...none];
}

/** Whether a task's user is able to write to the task's folder. */
async function mayBeOthers(setpriv: string): Promise<boolean> {
  if (!isRoot) return false;
  const own = await new OwnFolders(true).lend().catch(() => undefined);
  if (own === undefined) return false;
  const mayWrite = await canRun([setpriv, ...listRights(own.user), "--", "test", "-w", own.path]);
  await own.remove();
  return mayWrite;
}

async function canRun([path = "", ...args]: readonly string[]): Promise<boolean> {
  const { signal } = new AbortController();
  return runChild({ path, args, signal, timeoutMs: 30_000, fault: "not allowed" }).then(
    () => true,
    () => false,
  );
}
