import t from "tap";
import { deleteOldest } from "../../engine/delete-oldest.ts";

t.test("the entries that were set first are deleted", async (t) => {
  const map = new Map([
    ["c", 1],
    ["a", 2],
    ["b", 3],
  ]);
  map.set("c", 4);
  deleteOldest(map, 2);
  t.strictSame([...map], [["b", 3]]);
  deleteOldest(map, 5);
  t.equal(map.size, 0);
});
