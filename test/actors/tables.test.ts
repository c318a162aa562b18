import t from "tap";
import { codes } from "../../actors/table-codes.ts";

t.test("no two tables share a code", async (t) => {
  const values = Object.values(codes);
  t.equal(new Set(values).size, values.length);
});
