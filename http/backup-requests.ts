/**
 * Backups on request: `klieg backup` leaves the name of a folder in the data directory, where only
 * the operator can write; the service writes the backup to that folder and leaves a report of the
 * outcome.
 */

import { limits } from "../config/limits.ts";
import type {
  BackupEnd,
  BackupTask,
  FromBackupThread,
  ToBackupThread,
} from "../engine/backup-thread/backup-task.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { Entropy } from "../engine/ports/entropy.ts";
import { PortError } from "../engine/ports/port-error.ts";
import { channel, ShortThreads } from "../engine/threads.ts";
import {
  type BackupOutcome,
  type BackupRequest,
  outcomeFile,
  requestFile,
} from "./backup-files.ts";

/** The data directory, where requests and outcomes are files. */
interface Files {
  readonly path: string;
  readonly shardCount: number;
  readonly storeId: string;
  read(name: string): string | undefined;
  writePrivate(name: string, text: string): void;
  remove(name: string): void;
}

interface BackupParts {
  /** Entry module of the thread that writes the backups. */
  readonly entry: URL;
  /** Runs `look` while no shard commits. Rejects with a `PortError`. */
  readonly atOneInstant: (look: () => Promise<void>) => Promise<void>;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly areObjectsOnDisk: boolean;
  /** Log for the operator. */
  readonly notes: {
    error(error: unknown, sentence: string): void;
    info(fields: object, sentence: string): void;
  };
}

type Writers = ShortThreads<BackupTask, BackupEnd>;

/** Checks now and at regular intervals whether the operator has requested a backup. */
export function watchBackups(files: Files, parts: BackupParts): void {
  const { backupMs, backupMegabytes } = limits.engine;
  const writers: Writers = new ShortThreads(parts.entry, {
    threads: 1,
    queueMax: 1,
    timeoutMs: backupMs,
    memoryMegabytes: backupMegabytes,
  });
  const look = async () => {
    try {
      await answerRequest(files, parts, writers);
    } catch (error) {
      parts.notes.error(error, "backup result not recorded");
    }
    parts.clock.after(limits.http.tokenResetCheckMs, () => void look());
  };
  void look();
}

async function answerRequest(files: Files, parts: BackupParts, writers: Writers): Promise<void> {
  const request = parse(files.read(requestFile));
  if (request === undefined) return;
  files.remove(requestFile);
  const { id, folder } = request;
  const end = await backUp(folder, files, parts, writers).catch((error: Error) => {
    parts.notes.error(error, "backup failed");
    return { fault: error.message };
  });
  const outcome: BackupOutcome = { id, ...end };
  if ("summary" in outcome) parts.notes.info({ ...outcome.summary, folder }, "backup written");
  files.writePrivate(outcomeFile, `${JSON.stringify(outcome)}\n`);
}

async function backUp(
  folder: string,
  { path: dataDir, shardCount, storeId: store }: Files,
  parts: BackupParts,
  writers: Writers,
): Promise<BackupEnd> {
  const { near, far } = channel();
  const tell = (message: ToBackupThread) => near.postMessage(message);
  let onSeen = () => {};
  const look = () =>
    new Promise<void>((resolve) => {
      onSeen = resolve;
      tell({ kind: "held" });
    });
  near.on("message", (message: FromBackupThread) => {
    if (message === "seen") return onSeen();
    lookOnce(parts, look).then(
      () => tell({ kind: "released" }),
      (error: Error) => tell({ kind: "given_up", why: error.message }),
    );
  });
  try {
    const { areObjectsOnDisk } = parts;
    const task = { dataDir, shardCount, store, folder, areObjectsOnDisk, port: far };
    return await writers.run(task, [far]);
  } finally {
    near.close();
  }
}

/**
 * Tries again, because shards with much to write are not ready in time at first. Two nodes that
 * begin at once refuse each other, so each waits for a random time. Throws `PortError`.
 */
async function lookOnce(
  { clock, entropy, atOneInstant }: BackupParts,
  look: () => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await atOneInstant(look);
    } catch (error) {
      const isLast = attempt === limits.engine.holdAttempts;
      if (isLast || !(error instanceof PortError && error.retryable)) throw error;
      const [drawn = 0] = entropy.bytes(1);
      const waitMs = limits.engine.holdMs * (1 + (3 * drawn) / 256);
      await new Promise<void>((resolve) => clock.after(waitMs, resolve));
    }
  }
}

function parse(text: string | undefined): BackupRequest | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as BackupRequest);
}
