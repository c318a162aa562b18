import t from "tap";
import { createKey, getCode } from "../../engine/key.ts";
import {
  decodeRow,
  encodeText,
  kindsCodec,
  listCodec,
  type RowCodecs,
  rowCodec,
} from "../../engine/row-codec.ts";

interface Kite {
  readonly name: string;
  readonly tail?: { readonly bows: number; readonly colour?: string };
  readonly knots: readonly { readonly at: number; readonly of?: string }[];
  readonly owner?: string;
}

type Weather =
  | { readonly sky: "clear"; readonly wind: number }
  | { readonly sky: "rain"; readonly until?: number };

const rowCodecs: RowCodecs = new Map([
  [
    16,
    rowCodec<Kite>({
      name: (key) => key.slice(2),
      tail: rowCodec<NonNullable<Kite["tail"]>>({ bows: "plain", colour: "plain" }),
      knots: listCodec(rowCodec<Kite["knots"][number]>({ at: "plain", of: "plain" })),
      owner: "plain",
    }),
  ],
  [
    17,
    kindsCodec<"sky", Weather>("sky", {
      clear: rowCodec<{ wind: number }>({ wind: "plain" }),
      rain: rowCodec<{ until?: number }>({ until: "plain" }),
    }),
  ],
]);
const red = createKey<Kite>(7, 16, "red");
const today = createKey<Weather>(7, 17, "today");

t.test("a row is spelled by the places of its members, without what its key says", async (t) => {
  const knots = [{ at: 1 }, { at: 4, of: "silk" }];
  const row: Kite = { name: "red", tail: { bows: 3 }, knots, owner: "Ada" };
  const text = encodeText(rowCodecs, getCode(red), row);
  t.equal(text, '[3,null,[1,null,4,"silk"],"Ada"]');
  t.strictSame(decodeRow(rowCodecs, red, text), row);
});

t.test("members that a row does not have are absent again when it is read", async (t) => {
  const row: Kite = { name: "red", knots: [] };
  t.equal(encodeText(rowCodecs, getCode(red), row), "[null,null,[]]");
  t.strictSame(decodeRow(rowCodecs, red, "[null,null,[]]"), row);
  t.notOk(Object.hasOwn(decodeRow(rowCodecs, red, "[null,null,[]]") as object, "tail"));
});

t.test("each kind of a row has places of its own", async (t) => {
  t.equal(encodeText(rowCodecs, getCode(today), { sky: "clear", wind: 5 }), "[0,5]");
  t.equal(encodeText(rowCodecs, getCode(today), { sky: "rain" }), "[1]");
  t.strictSame(decodeRow(rowCodecs, today, "[0,5]"), { sky: "clear", wind: 5 });
  t.strictSame(decodeRow(rowCodecs, today, "[1]"), { sky: "rain" });
  t.throws(
    () => encodeText(rowCodecs, getCode(today), { sky: "snow" }),
    /one of the kinds of its sky/,
  );
});

t.test("a member that is null is refused, since it would be lost", async (t) => {
  const row = { name: "red", knots: [], owner: null };
  t.throws(() => encodeText(rowCodecs, getCode(red), row), /absent or something/);
});

t.test("a table without a form spells its rows as JSON does", async (t) => {
  const key = createKey(7, 18, "red");
  t.equal(encodeText(rowCodecs, getCode(key), { owner: null }), '{"owner":null}');
  t.equal(encodeText(undefined, getCode(red), [1]), "[1]");
  t.strictSame(decodeRow(rowCodecs, key, '{"owner":null}'), { owner: null });
});
