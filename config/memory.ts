/**
 * How the bound of a service's memory (`KLIEG_MEMORY`) is divided among its shards. Under sustained
 * work rows that are not yet in the tables grow most, then the heads that shards keep decoded. The
 * rest of a service, its threads' heaps above all, is about as large whatever it does.
 */
import { limits } from "./limits.ts";

export interface ShardMemory {
  /** Bytes of rows that no table has yet, in the shard's thread. */
  readonly freshBytesMax: number;
  /** Bytes of heads that are kept decoded. */
  readonly headBytesMax: number;
}

export function divideMemory(memoryBytes: number, shardCount: number): ShardMemory {
  const { serviceBytes, freshCopies, headShare } = limits.memory;
  const share = (memoryBytes - serviceBytes) / shardCount;
  const headBytesMax = Math.min(limits.engine.headCacheBytes, share * headShare);
  return { headBytesMax, freshBytesMax: (share - headBytesMax) / freshCopies };
}

/** Bytes of a number with `M` or `G` behind it; throws what is wrong with another text. */
export function parseMemory(text: string): number {
  const [, number, unit] = /^(\d{1,6})([MG])$/.exec(text) ?? [];
  const bytes = Number(number) * (unit === "G" ? 1024 ** 3 : 1024 ** 2);
  const { bytesMin } = limits.memory;
  if (bytes >= bytesMin) return bytes;
  throw new Error(`is "${text}"; set it to ${bytesMin / 1024 ** 2}M or more, such as 1200M or 2G`);
}
