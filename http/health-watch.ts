/** What a service looks at again and again: the room on its disk, and its object store. */
import { statfs } from "node:fs/promises";
import { limits } from "../config/limits.ts";
import type { Clock } from "../engine/ports/clock.ts";
import { volatileRoot } from "../engine/ports/objects.ts";
import type { Service } from "./service.ts";

interface Log {
  info(sentence: string): void;
  warn(error: unknown, sentence: string): void;
  error(error: unknown, sentence: string): void;
}

/** Short of space, new work is refused while there is still room to finish the old. */
export function watchDisk({ health }: Service, dataDir: string, clock: Clock, log: Log): void {
  const look = async () => {
    try {
      const { bavail, bsize, blocks } = await statfs(dataDir);
      const least = Math.max(
        limits.http.diskFreeBytesMin,
        blocks * bsize * limits.http.diskFreeShareMin,
      );
      health.isDiskLow = bavail * bsize < least;
    } catch (error) {
      log.warn(error, "the free space of the data directory is unknown");
    }
    clock.after(limits.http.diskCheckMs, () => void look());
  };
  void look();
}

/** Checks now and regularly whether the object store answers, if only that there is no object. */
export async function watchObjects(service: Service, clock: Clock, log: Log): Promise<void> {
  const { health, objects } = service;
  const fault = await objects.stat(`${volatileRoot}/start`).then(
    () => undefined,
    (error: unknown) => error,
  );
  const isAway = fault !== undefined;
  if (isAway && !health.areObjectsAway) log.error(fault, "the object store does not answer");
  if (!isAway && health.areObjectsAway) log.info("the object store answers again");
  health.areObjectsAway = isAway;
  clock.after(limits.http.diskCheckMs, () => void watchObjects(service, clock, log));
}
