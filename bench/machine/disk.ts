import { mkdtemp, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { percentile } from "../report/statistics.ts";

const appends = 300;
const appendBytes = 40_960;

/** What the disk itself takes to make one group commit's bytes durable. */
export interface DiskFigures {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Times fdatasync of appends in `folder`, on the disk that the service under test writes to. */
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
