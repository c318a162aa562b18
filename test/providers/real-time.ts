/** A simulator in the machine's own time, for what measures. */
import { systemClock } from "../../engine/adapters/system-clock.ts";
import { ReplicateSimulator } from "./replicate-simulator.ts";
import type { SimulatorOptions } from "./simulator.ts";

/** Listens at a port of its own. */
export function openReplicate(
  onCall: NonNullable<SimulatorOptions["onCall"]>,
): Promise<ReplicateSimulator> {
  return new ReplicateSimulator({ clock: systemClock, onCall }).listen();
}
