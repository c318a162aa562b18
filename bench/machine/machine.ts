/** Describes the machine of a result: figures of two machines are not compared. */
import { availableParallelism, cpus, release, totalmem } from "node:os";

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly system: string;
  readonly node: string;
}

export function describeMachine(): Machine {
  return {
    processor: cpus()[0]?.model.trim() ?? "unknown processor",
    cores: availableParallelism(),
    memoryGib: Math.round(totalmem() / 2 ** 30),
    system: `Linux ${release()}`,
    node: process.version,
  };
}

export function machineLine({ processor, cores, memoryGib, system, node }: Machine): string {
  return `${processor}, ${cores} cores, ${memoryGib} GiB, ${system}, Node ${node}`;
}
