/**
 * A commit, built in a folder of its own beside the data directory's, where it is kept for the next
 * time. Folders beyond a few are removed, those used longest ago first.
 *
 * The folder is a clone that borrows this repository's objects. It is set up by its own
 * `config/setup`; its node modules are hard links to this tree's when both lock files are equal.
 */
import { access, mkdir, readdir, readFile, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../scenario.ts";
import { CommandError, output } from "../service/command.ts";

const keptMax = 4;

export interface CommitTree {
  readonly hash: string;
  readonly folder: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws `UsageError` when the repository has no such commit. */
export async function findCommit(tree: string, name: string): Promise<string> {
  try {
    const args = ["-C", tree, "rev-parse", "--verify", "--quiet", `${name}^{commit}`];
    return (await output({ path: "git", args })).trim();
  } catch (fault) {
    if (!(fault instanceof CommandError)) throw fault;
    throw new UsageError(`There is no commit "${name}" in ${tree}.`);
  }
}

/** Returns the commit of the tree, marked when the tree has uncommitted changes. */
export async function describeTree(tree: string): Promise<string> {
  const hash = await findCommit(tree, "HEAD");
  const changes = await output({ path: "git", args: ["-C", tree, "status", "--porcelain"] });
  return changes.trim() === "" ? hash.slice(0, 12) : `${hash.slice(0, 12)} with changes`;
}

export async function buildCommit(
  tree: string,
  hash: string,
  parent: string,
  environment: Environment,
): Promise<CommitTree> {
  const folder = join(parent, hash.slice(0, 12));
  const stamp = join(folder, ".git/klieg-built");
  if (!(await isThere(stamp))) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(parent, { recursive: true });
    const clone = ["clone", "--quiet", "--shared", "--no-checkout", tree, folder];
    await output({ path: "git", args: clone });
    await output({ path: "git", args: ["-C", folder, "checkout", "--quiet", "--detach", hash] });
    await shareModules(tree, folder);
  }
  await output({
    path: "sh",
    args: [join(folder, "config/setup"), "start"],
    env: { ...environment, KLIEG_DATA_DIR: undefined },
  });
  await output({ path: "touch", args: [stamp] });
  await removeOld(parent);
  return { hash, folder };
}

/** Setup compares timestamps: modules newer than the lock file count as complete. */
async function shareModules(tree: string, folder: string): Promise<void> {
  const [own, other] = await Promise.all(
    [tree, folder].map((each) => readFile(join(each, "package-lock.json"))),
  );
  const isEqual = own !== undefined && other !== undefined && own.equals(other);
  if (!isEqual || !(await isThere(join(tree, "node_modules/.package-lock.json")))) return;
  const modules = [join(tree, "node_modules"), join(folder, "node_modules")];
  // Hard links fail across file systems, so the files are copied instead.
  await output({ path: "cp", args: ["-al", ...modules] }).catch(() =>
    output({ path: "cp", args: ["-a", ...modules] }),
  );
  const { mtime } = await stat(join(tree, "package-lock.json"));
  await utimes(join(folder, "package-lock.json"), mtime, mtime);
}

async function removeOld(parent: string): Promise<void> {
  const names = await readdir(parent);
  const built = await Promise.all(
    names.map(async (name) => {
      const { mtimeMs } = await stat(join(parent, name, ".git/klieg-built")).catch(() => never);
      return { name, mtimeMs };
    }),
  );
  const old = built.toSorted((one, other) => other.mtimeMs - one.mtimeMs).slice(keptMax);
  for (const { name } of old) await rm(join(parent, name), { recursive: true });
}

const never = { mtimeMs: 0 } as const;

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
