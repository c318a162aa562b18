import { readFileSync } from "node:fs";
import { type Settings, SettingsError } from "./settings.ts";

const charactersMin = 32;

/** With which nodes sign what they forward; undefined without a file. Throws `SettingsError`. */
export function readClusterKey({
  clusterKeyFile: file,
}: Pick<Settings, "clusterKeyFile">): string | undefined {
  if (file === undefined) return undefined;
  const key = read(file);
  if (key.length >= charactersMin) return key;
  throw new SettingsError(
    `KLIEG_CLUSTER_KEY_FILE is "${file}", which has less than ${charactersMin} characters; set it to a file with a longer key.`,
  );
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code;
    throw new SettingsError(
      `KLIEG_CLUSTER_KEY_FILE is "${file}", which cannot be read (${why}); set it to a file with the key of the cluster.`,
    );
  }
}
