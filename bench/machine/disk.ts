import { mkdtemp, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { percentile } from "../report/statistics.ts";

const appends = 300;
const appendBytes = 40_960;

/** Time that the disk itself takes to make the bytes of one group commit durable. */
export interface DiskFigures {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Times fdatasync of appends in `folder`, on the disk that the measured service writes to. */
export async function measureDisk(folder: string): Promise<DiskFigures> {
  const own = await mkdtemp(join(folder, "disk-"));
  const block = Buffer.alloc(appendBytes, 0x6b);
  const file = await open(join(own, "appends"), "a");
  const tookMs: number[] = [];
  for (let index = 0; index < appends; index++) {
    await file.write(block);
    const before = performance.now();
    await file.datasync();
    tookMs.push(performance.now() - before);
  }
  await file.close();
  await rm(own, { recursive: true });
  return { p50Ms: percentile(tookMs, 0.5), p99Ms: percentile(tookMs, 0.99) };
}
