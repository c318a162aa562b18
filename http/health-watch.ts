/** Checks regularly that the outside resources the service needs are available. */
import { statfs } from "node:fs/promises";
import { limits } from "../config/limits.ts";
import { volatileRoot } from "../engine/ports/objects.ts";
import { ownFarmNodes } from "./cluster/node-routes.ts";
import type { Service } from "./service.ts";

/** Log for the operator. */
interface Notes {
  error(error: unknown, sentence: string): void;
  warn(error: unknown, sentence: string): void;
  info(sentence: string): void;
}

/** Watches the disk. If space runs short, new work is refused while there is room for the old. */
export function watchDisk({ health, clock }: Service, dataDir: string, notes: Notes): void {
  const look = async () => {
    try {
      const { bavail, bsize, blocks } = await statfs(dataDir);
      const least = Math.max(
        limits.http.diskFreeBytesMin,
        blocks * bsize * limits.http.diskFreeShareMin,
      );
      health.isDiskLow = bavail * bsize < least;
    } catch (error) {
      notes.warn(error, "free disk space unknown");
    }
    clock.after(limits.http.diskCheckMs, () => void look());
  };
  void look();
}

/**
 * Checks now and regularly that a farm node takes tasks; without one at two checks in a row,
 * nothing can be drawn. A node that has crashed or is starting is back before the second.
 */
export async function watchFarm(
  service: Service,
  notes: Pick<Notes, "info">,
  wasStaffed = true,
): Promise<void> {
  const { health, clock } = service;
  const isStaffed = (await ownFarmNodes(service)).some(({ isDraining }) => !isDraining);
  const renderers = isStaffed ? "ok" : "down";
  if ((isStaffed || !wasStaffed) && renderers !== health.renderers) {
    notes.info(isStaffed ? "farm accepting tasks again" : "no farm node available, tasks waiting");
    health.renderers = renderers;
  }
  clock.after(limits.http.farmCheckMs, () => void watchFarm(service, notes, isStaffed));
}

/** Checks now and regularly that the object store answers, even if the object does not exist. */
export async function watchObjects(service: Service, notes: Notes): Promise<void> {
  const { health, objects, clock } = service;
  const fault = await objects.stat(`${volatileRoot}/start`).then(
    () => undefined,
    (error: unknown) => error,
  );
  const isAway = fault !== undefined;
  if (isAway && !health.areObjectsAway) notes.error(fault, "object store unreachable");
  if (!isAway && health.areObjectsAway) notes.info("object store reachable again");
  health.areObjectsAway = isAway;
  clock.after(limits.http.diskCheckMs, () => void watchObjects(service, notes));
}
