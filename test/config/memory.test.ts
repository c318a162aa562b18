import t from "tap";
import { limits } from "../../config/limits.ts";
import { divideMemory, parseMemory } from "../../config/memory.ts";

const mebibyte = 1024 ** 2;

t.test("memory is a number of mebibytes or gibibytes, and not too little", async (t) => {
  t.equal(parseMemory("1200M"), 1_200 * mebibyte);
  t.equal(parseMemory("2G"), 2_048 * mebibyte);
  for (const text of ["", "1200", "1200m", "1.5G", "-1G", "100M"])
    t.throws(() => parseMemory(text), /^is ".*"; set it to 768M or more, such as 1200M or 2G$/);
});

t.test("shards have equal shares of what the rest of the service leaves", async (t) => {
  const { serviceBytes, freshCopies } = limits.memory;
  for (const shards of [1, 8, 64]) {
    const { freshBytesMax, headBytesMax } = divideMemory(1_200 * mebibyte, shards);
    const each = freshCopies * freshBytesMax + headBytesMax;
    t.equal(Math.round(serviceBytes + shards * each), 1_200 * mebibyte);
  }
});

t.test("heads take no more memory than without a bound", async (t) => {
  t.equal(divideMemory(64 * 1_024 * mebibyte, 1).headBytesMax, limits.engine.headCacheBytes);
});
