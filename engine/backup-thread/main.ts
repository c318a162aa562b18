/** Entry of the thread that writes a backup, apart from the threads that serve requests. */
import type { Manifest } from "../adapters/backup/manifest.ts";
import { writeBackup } from "../adapters/backup/write-backup.ts";
import { PortError } from "../ports/port-error.ts";
import type {
  BackupEnd,
  BackupSummary,
  BackupTask,
  FromBackupThread,
  ToBackupThread,
} from "./backup-task.ts";

export async function run({ port, areObjectsOnDisk, ...task }: BackupTask): Promise<BackupEnd> {
  const say = (message: FromBackupThread) => port.postMessage(message);
  try {
    const manifest = await writeBackup({
      ...task,
      objectsPlace: areObjectsOnDisk ? "disk" : "s3",
      whileHeld: (look) =>
        new Promise((resolve, reject) => {
          port.on("message", (message: ToBackupThread) => {
            if (message.kind === "released") resolve();
            else if (message.kind === "given_up") reject(new PortError(message.why, false));
            else look().then(() => say("seen"), reject);
          });
          say("ready");
        }),
    });
    return { summary: summarize(manifest) };
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return { fault: error.message };
  } finally {
    port.close();
  }
}

function summarize({ shards, objects }: Manifest): BackupSummary {
  const rowBytes = shards.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (objects.place === "s3") return { rowBytes, objects: undefined };
  return { rowBytes, objects: { count: objects.count, bytes: objects.bytes } };
}
