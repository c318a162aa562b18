import { readFileSync } from "node:fs";
import { type Settings, SettingsError } from "./settings.ts";

/** How this process reaches NATS. */
export interface NatsAccess {
  readonly servers: readonly string[];
  /** Content of the file of credentials. */
  readonly credentials?: string | undefined;
}

/** Undefined without NATS. Throws `SettingsError` for a file that cannot be read. */
export function readNatsAccess({
  natsServers: servers,
  natsCredentialsFile: file,
}: Pick<Settings, "natsServers" | "natsCredentialsFile">): NatsAccess | undefined {
  if (servers.length === 0) return undefined;
  try {
    return { servers, credentials: file && readFileSync(file, "utf8") };
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code;
    throw new SettingsError(
      `KLIEG_NATS_CREDENTIALS_FILE is "${file}", which cannot be read (${why}); set it to a file of credentials.`,
    );
  }
}
