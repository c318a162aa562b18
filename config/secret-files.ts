/** Reads secrets from the files that settings name. */
import { readFileSync } from "node:fs";
import { SettingsError } from "./environment.ts";
import type { Settings } from "./settings.ts";

/** How this process reaches NATS. */
export interface NatsAccess {
  readonly servers: readonly string[];
  /** Content of the credentials file. */
  readonly credentials?: string | undefined;
}

/** Returns undefined without NATS. Throws `SettingsError` for a file that cannot be read. */
export function readNatsAccess({
  natsServers: servers,
  natsCredentialsFile: file,
}: Pick<Settings, "natsServers" | "natsCredentialsFile">): NatsAccess | undefined {
  if (servers.length === 0) return undefined;
  const name = "KLIEG_NATS_CREDENTIALS_FILE";
  return { servers, credentials: file && read(name, file, "credentials") };
}

const charactersMin = 32;

/** Reads the key that signs forwarded requests; undefined without one. Throws `SettingsError`. */
export function readClusterKey({
  clusterKeyFile: file,
}: Pick<Settings, "clusterKeyFile">): string | undefined {
  if (file === undefined) return undefined;
  const key = read("KLIEG_CLUSTER_KEY_FILE", file, "the key of the cluster").trim();
  if (key.length >= charactersMin) return key;
  throw new SettingsError(
    `KLIEG_CLUSTER_KEY_FILE is "${file}", which has fewer than ${charactersMin} characters; set it to a file with a longer key.`,
  );
}

/** Throws `SettingsError` for a file that cannot be read. */
function read(name: string, file: string, what: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code;
    throw new SettingsError(
      `${name} is "${file}", which cannot be read (${why}); set it to a file that contains ${what}.`,
    );
  }
}
