/** A simulator that runs in real time, for measurements. */
import { systemClock } from "../../engine/adapters/system-clock.ts";
import { ReplicateSimulator } from "./replicate-simulator.ts";
import type { SimulatorOptions } from "./simulator.ts";

/** Opens a Replicate simulator on a port of its own. */
export function openReplicate(
  onCall: NonNullable<SimulatorOptions["onCall"]>,
): Promise<ReplicateSimulator> {
  return new ReplicateSimulator({ clock: systemClock, onCall }).listen();
}
