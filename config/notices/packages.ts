/** The packages of others that are delivered, as the lock file says. */

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
  /** Its folder below the root: `node_modules/three`. */
  readonly path: string;
  /** Needed only on some platforms, so that it may be missing where the notices are written. */
  readonly isForPlatform: boolean;
}

/** The build puts these into pages (see `bundle` in config/setup), so they need no installation. */
const bundledForDevelopment = ["redoc", "minisearch"];

/** By name and version, each once. */
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

/** The paths of packages with all that they need on every platform. */
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

/** The package that a name means in a folder: as Node looks for it, from the folder upwards. */
function resolve({ packages }: LockFile, from: string, name: string): string | undefined {
  const path = `${from === "" ? "" : `${from}/`}node_modules/${name}`;
  if (packages[path] !== undefined) return path;
  if (from === "") return undefined;
  const above = from.lastIndexOf("/node_modules/");
  return resolve({ packages }, above < 0 ? "" : from.slice(0, above), name);
}
