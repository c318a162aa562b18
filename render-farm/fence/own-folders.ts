import { constants } from "node:fs";
import {
  chmod,
  chown,
  type FileHandle,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { limits } from "../../config/limits.ts";
import { PortError } from "../../engine/ports/port-error.ts";

/** A folder in which the programs of one task work; only they and the farm can access it. */
export interface OwnFolder {
  readonly path: string;
  /** User that owns the folder and runs its programs; `undefined` means the farm's own user. */
  readonly user: number | undefined;
  /** The enclosing folder, to which only the farm writes. */
  readonly farmFolder: string;
  /** Removes the folder; its programs must have ended. */
  remove(): Promise<void>;
}

/**
 * Range of user ids that belong to no account (unused according to systemd, "Users, Groups, UIDs
 * and GIDs"), below 65,536 because containers may have no more.
 */
export const firstUser = 60_706;
export const usersMax = 478;

/**
 * Lends each task a folder, and a user where the farm may run programs as others. The folder is
 * named for the user's number: only one task at a time can make it, so only one has the number. It
 * lies in one that the farm keeps, so that no program can put another thing in its place.
 */
export class OwnFolders {
  readonly hasUsers: boolean;
  private turn = 0;

  constructor(hasUsers: boolean) {
    this.hasUsers = hasUsers;
  }

  /** Returns a new folder. Throws `PortError` when every user id in the range is taken. */
  async lend(): Promise<OwnFolder> {
    for (let tried = 0; tried < usersMax; tried++) {
      const number = firstUser + (this.turn++ % usersMax);
      const farmFolder = join(tmpdir(), `${userPrefix}${number}`);
      if (!(await isMade(farmFolder))) continue;
      const own = {
        path: join(farmFolder, "own"),
        user: this.hasUsers ? number : undefined,
        farmFolder,
        remove: () => rm(farmFolder, { recursive: true, force: true, maxRetries: 5 }),
      };
      await fill(own).catch(async (failure) => {
        await own.remove();
        throw failure;
      });
      return own;
    }
    throw new PortError("every user that tasks of this machine may have is taken", true);
  }
}

async function fill({ path, user, farmFolder }: OwnFolder): Promise<void> {
  await sign(farmFolder);
  await mkdir(path, { mode: 0o700 });
  if (user === undefined) return;
  await chown(path, user, user);
  await chown(farmFolder, 0, user);
  await chmod(farmFolder, 0o710);
}

/** Makes a folder for files that belong to no task. */
export async function makeNodeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), nodePrefix));
  await sign(folder);
  return folder;
}

const userPrefix = "klieg-user-";
const nodePrefix = "klieg-node-";
/** Name prefix of folders that hold named pipes. */
export const pipePrefix = "klieg-pipe-";
const prefixes = [userPrefix, nodePrefix, pipePrefix];
const makerFile = "maker";

/** Records the process id, so that the next node can tell whether the folder's maker still runs. */
async function sign(folder: string): Promise<void> {
  await writeFile(join(folder, makerFile), `${process.pid}`);
}

async function isMade(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
    return true;
  } catch (failure) {
    if (failure instanceof Error && "code" in failure && failure.code === "EEXIST") return false;
    throw failure;
  }
}

/** Writes a new file for the task's programs to read; the path must not exist yet. */
export async function writeNew(
  path: string,
  bytes: string | Uint8Array | Iterable<Uint8Array>,
): Promise<void> {
  await writeFile(path, bytes, { flag: "wx", mode: 0o644 });
}

/** Opens a file in a task's folder. Throws `PortError` when it is not a plain file. */
export async function openPlain(path: string, flags = constants.O_RDONLY): Promise<FileHandle> {
  const file = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (failure: unknown) => {
      throw new PortError("A file of the task is missing.", false, failure);
    },
  );
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new PortError("Something else is in the place of a file.", false);
}

/**
 * Like `openPlain`, for a file that a program made in its own folder. Checks the owner, because a
 * hard link to a file that the program may not read belongs to another user.
 */
export async function openMade(path: string, flags?: number): Promise<FileHandle> {
  const file = await openPlain(path, flags);
  const [made, folder] = await Promise.all([file.stat(), lstat(dirname(path))]);
  if (made.uid === folder.uid) return file;
  await file.close();
  throw new PortError("A program left files that belong to another user.", false);
}

/** Removes the folders of farm nodes that were killed. */
export async function sweepLeftovers(nowMs: number): Promise<void> {
  const root = tmpdir();
  for (const name of await readdir(root)) {
    if (!prefixes.some((own) => name.startsWith(own))) continue;
    const path = join(root, name);
    if (!(await isLeft(path, nowMs))) continue;
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Judges a folder without a maker's process id by its age; skips those of other users. */
async function isLeft(path: string, nowMs: number): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined || found.uid !== process.getuid?.()) return false;
  const maker = await readFile(join(path, makerFile), "latin1").catch(() => "");
  if (maker !== "") return !isRunning(Number(maker));
  return nowMs - found.mtimeMs >= limits.farm.leftoverMs;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (failure) {
    return !(failure instanceof Error && "code" in failure && failure.code === "ESRCH");
  }
}
