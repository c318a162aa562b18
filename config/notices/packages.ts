/** Lists the third-party packages that are delivered, according to the lock file. */

/** An entry of `packages` in package-lock.json. */
interface LockedPackage {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export interface DeliveredPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** Folder below the root, such as `node_modules/three`. */
  readonly path: string;
  /** Whether it is needed only on some platforms, so that it may be missing where this runs. */
  readonly isForPlatform: boolean;
}

/** The build bundles these into pages (`bundle` in config/setup), so they are not installed. */
const bundledForDevelopment = ["minisearch"];

/** Lists the delivered packages sorted by name and version, each once. */
export function listDelivered(lock: LockFile): readonly DeliveredPackage[] {
  const { "": root, ...locked } = lock.packages;
  const installed = Object.keys(locked).filter((path) => locked[path]?.dev !== true);
  const always = [
    ...collect(lock, Object.keys(root?.dependencies ?? {})),
    ...collect(lock, bundledForDevelopment),
  ];
  const delivered = new Map<string, DeliveredPackage>();
  for (const path of [...always, ...installed]) {
    const entry = locked[path];
    if (entry === undefined) continue;
    const name = entry.name ?? path.slice(path.lastIndexOf("node_modules/") + 13);
    const { version = "", license = "see its text" } = entry;
    const key = `${name} ${version}`;
    const isForPlatform = !always.includes(path);
    if (!delivered.has(key)) delivered.set(key, { name, version, license, path, isForPlatform });
  }
  return [...delivered.keys()].sort().flatMap((key) => delivered.get(key) ?? []);
}

/** Returns the paths of packages with all that they depend on, on every platform. */
function collect(lock: LockFile, names: readonly string[]): readonly string[] {
  const paths = new Set<string>();
  const visit = (from: string, needed: readonly string[]) => {
    for (const name of needed) {
      const path = resolve(lock, from, name);
      const entry = path === undefined ? undefined : lock.packages[path];
      if (path === undefined || entry === undefined || paths.has(path)) continue;
      if (entry.os !== undefined || entry.cpu !== undefined) continue;
      paths.add(path);
      const { dependencies, optionalDependencies, peerDependencies } = entry;
      visit(path, Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }));
    }
  };
  visit("", names);
  return [...paths];
}

/** Resolves a package name as Node does: from the given folder upwards. */
function resolve({ packages }: LockFile, from: string, name: string): string | undefined {
  const path = `${from === "" ? "" : `${from}/`}node_modules/${name}`;
  if (packages[path] !== undefined) return path;
  if (from === "") return undefined;
  const above = from.lastIndexOf("/node_modules/");
  return resolve({ packages }, above < 0 ? "" : from.slice(0, above), name);
}
