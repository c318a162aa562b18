/**
 * What was released of each shard, record by record: every answer to a client rests on it, so no
 * owner may ever go on without it, or with other records in its place (I1, I2, I3, I4).
 */
import { computeHash, readHead } from "../../../engine/record.ts";
import type { SimDisk } from "./sim-disk.ts";

interface Released {
  readonly hash: string;
  readonly epoch: number;
  readonly atMs: number;
}

export class History {
  private readonly shards: Map<number, Released>[];
  private readonly lastSeqs: number[];

  constructor(shards: number) {
    this.shards = Array.from({ length: shards }, () => new Map());
    this.lastSeqs = new Array<number>(shards).fill(0);
  }

  /** Returns the last record of the shard that was released. */
  lastSeq(shard: number): number {
    return this.lastSeqs[shard] ?? 0;
  }

  /** Accepts that what came after this record may be lost. */
  accept(shard: number, seq: number): void {
    const known = this.shards[shard];
    for (let later = this.lastSeq(shard); later > seq; later--) known?.delete(later);
    let last = Math.min(seq, this.lastSeq(shard));
    while (last > 0 && known?.has(last) !== true) last--;
    this.lastSeqs[shard] = last;
  }

  /** Returns the last record of the shard that had been released at this time. */
  lastSeqAt(shard: number, atMs: number): number {
    const known = this.shards[shard];
    let seq = this.lastSeq(shard);
    // Signs of life are released together with the record that comes next.
    while (seq > 0 && (known?.get(seq)?.atMs ?? Number.POSITIVE_INFINITY) > atMs) seq--;
    return seq;
  }

  /** Returns a sentence if this release breaks a promise; an owner may be late with history. */
  release(shard: number, record: Uint8Array, disk: SimDisk, atMs: number): string | undefined {
    const known = this.shards[shard];
    if (known === undefined || record.length === 0) return undefined;
    const { seq, epoch } = readHead(record);
    const hash = computeHash(record);
    const before = known.get(seq);
    if (before !== undefined && before.hash !== hash)
      return `I1: record ${seq} of shard ${shard} was released twice, as two`;
    if (disk.hashes.get(seq) !== hash)
      return `I3: record ${seq} of shard ${shard} left before it was on the owner's disk`;
    const last = this.lastSeq(shard);
    const lastEpoch = known.get(last)?.epoch ?? 0;
    if (seq > last ? epoch < lastEpoch : epoch > lastEpoch)
      return `I2: record ${seq} of shard ${shard} is of epoch ${epoch}, record ${last} of ${lastEpoch}`;
    known.set(seq, { hash, epoch, atMs });
    if (seq < last) return undefined;
    const missing = this.findMissing(shard, disk);
    this.lastSeqs[shard] = seq;
    return missing;
  }

  /** Returns a sentence if the disk of an owner lacks what was released. */
  findMissing(shard: number, disk: SimDisk): string | undefined {
    const seq = this.lastSeq(shard);
    const hash = this.shards[shard]?.get(seq)?.hash;
    if (hash === undefined || disk.hashes.get(seq) === hash) return undefined;
    if (!disk.hashes.has(seq) && disk.joinedSeq > seq) return undefined;
    return `I1: shard ${shard} goes on without record ${seq}, which was released`;
  }

  /** Whether `disk` differs in any record from a disk that has all that was released. */
  differs(shard: number, disk: SimDisk, disks: readonly SimDisk[]): boolean {
    const whole = disks.find((other) => this.findMissing(shard, other) === undefined);
    return [...disk.hashes].some(([seq, hash]) => (whole?.hashes.get(seq) ?? hash) !== hash);
  }
}
