/**
 * `klieg backup` leaves the name of a folder in the data directory, where only the operator can
 * write; the service writes the backup there and leaves what became of it.
 */
import type { MessagePort } from "node:worker_threads";
import { limits } from "../config/limits.ts";
import type {
  BackupEnd,
  BackupTask,
  FromBackupThread,
  ToBackupThread,
} from "../engine/backup-wire.ts";
import type { Clock } from "../engine/ports/clock.ts";
import { PortError } from "../engine/ports/port-error.ts";
import { channel } from "../engine/threads.ts";

export const requestFile = "backup-request";
export const outcomeFile = "backup-outcome";

/** As JSON in their files. */
export interface BackupRequest {
  readonly id: string;
  readonly folder: string;
}

export type BackupOutcome = BackupEnd & { readonly id: string };

interface Files {
  read(name: string): string | undefined;
  writePrivate(name: string, text: string): void;
  remove(name: string): void;
}

export interface BackupPorts {
  readonly clock: Clock;
  /** As `Host.whileHeld`. */
  readonly whileHeld: (look: () => Promise<void>) => Promise<void>;
  readonly runThread: (task: BackupTask, ports: readonly MessagePort[]) => Promise<BackupEnd>;
  readonly task: Omit<BackupTask, "folder" | "port">;
  readonly onFault: (error: unknown) => void;
}

/** Undefined when there was nothing to do. */
export async function answerBackup(
  files: Files,
  ports: BackupPorts,
): Promise<BackupOutcome | undefined> {
  const request = parsed(files.read(requestFile));
  if (request === undefined) return undefined;
  files.remove(requestFile);
  const { id, folder } = request;
  const end = await backUp(folder, ports).catch((error: Error) => {
    ports.onFault(error);
    return { fault: error.message };
  });
  const outcome = { id, ...end };
  files.writePrivate(outcomeFile, `${JSON.stringify(outcome)}\n`);
  return outcome;
}

async function backUp(folder: string, ports: BackupPorts): Promise<BackupEnd> {
  const { near, far } = channel();
  const tell = (message: ToBackupThread) => near.postMessage(message);
  let seen = () => {};
  const look = () =>
    new Promise<void>((resolve) => {
      seen = resolve;
      tell({ kind: "held" });
    });
  near.on("message", (message: FromBackupThread) => {
    if (message === "seen") return seen();
    holdOnce(ports, look).then(
      () => tell({ kind: "released" }),
      (error: Error) => tell({ kind: "given_up", why: error.message }),
    );
  });
  try {
    return await ports.runThread({ ...ports.task, folder, port: far }, [far]);
  } finally {
    near.close();
  }
}

/** Shards with much to write are not ready in time at first. Throws `PortError`. */
async function holdOnce(
  { clock, whileHeld }: BackupPorts,
  look: () => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await whileHeld(look);
    } catch (error) {
      const isLast = attempt === limits.engine.holdAttempts;
      if (isLast || !(error instanceof PortError && error.retryable)) throw error;
      await new Promise<void>((resolve) => clock.after(limits.engine.holdMs, resolve));
    }
  }
}

function parsed(text: string | undefined): BackupRequest | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as BackupRequest);
}
