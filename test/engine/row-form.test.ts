import t from "tap";
import { codeOf, keyOf } from "../../engine/key.ts";
import { type Forms, kindsForm, listForm, rowForm, rowOf, spelled } from "../../engine/row-form.ts";

interface Kite {
  readonly name: string;
  readonly tail?: { readonly bows: number; readonly colour?: string };
  readonly knots: readonly { readonly at: number; readonly of?: string }[];
  readonly owner?: string;
}

type Weather =
  | { readonly sky: "clear"; readonly wind: number }
  | { readonly sky: "rain"; readonly until?: number };

const forms: Forms = new Map([
  [
    16,
    rowForm<Kite>({
      name: (key) => key.slice(2),
      tail: rowForm<NonNullable<Kite["tail"]>>({ bows: "plain", colour: "plain" }),
      knots: listForm(rowForm<Kite["knots"][number]>({ at: "plain", of: "plain" })),
      owner: "plain",
    }),
  ],
  [
    17,
    kindsForm<"sky", Weather>("sky", {
      clear: rowForm<{ wind: number }>({ wind: "plain" }),
      rain: rowForm<{ until?: number }>({ until: "plain" }),
    }),
  ],
]);
const red = keyOf<Kite>(7, 16, "red");
const today = keyOf<Weather>(7, 17, "today");

t.test("a row is spelled by the places of its members, without what its key says", async (t) => {
  const knots = [{ at: 1 }, { at: 4, of: "silk" }];
  const row: Kite = { name: "red", tail: { bows: 3 }, knots, owner: "Ada" };
  const text = spelled(forms, codeOf(red), row);
  t.equal(text, '[3,null,[1,null,4,"silk"],"Ada"]');
  t.strictSame(rowOf(forms, red, text), row);
});

t.test("members that a row does not have are absent again when it is read", async (t) => {
  const row: Kite = { name: "red", knots: [] };
  t.equal(spelled(forms, codeOf(red), row), "[null,null,[]]");
  t.strictSame(rowOf(forms, red, "[null,null,[]]"), row);
  t.notOk(Object.hasOwn(rowOf(forms, red, "[null,null,[]]") as object, "tail"));
});

t.test("each kind of a row has places of its own", async (t) => {
  t.equal(spelled(forms, codeOf(today), { sky: "clear", wind: 5 }), "[0,5]");
  t.equal(spelled(forms, codeOf(today), { sky: "rain" }), "[1]");
  t.strictSame(rowOf(forms, today, "[0,5]"), { sky: "clear", wind: 5 });
  t.strictSame(rowOf(forms, today, "[1]"), { sky: "rain" });
  t.throws(() => spelled(forms, codeOf(today), { sky: "snow" }), /one of the kinds of its sky/);
});

t.test("a member that is null is refused, since it would be lost", async (t) => {
  const row = { name: "red", knots: [], owner: null };
  t.throws(() => spelled(forms, codeOf(red), row), /absent or something/);
});

t.test("a table without a form spells its rows as JSON does", async (t) => {
  const key = keyOf(7, 18, "red");
  t.equal(spelled(forms, codeOf(key), { owner: null }), '{"owner":null}');
  t.equal(spelled(undefined, codeOf(red), [1]), "[1]");
  t.strictSame(rowOf(forms, key, '{"owner":null}'), { owner: null });
});
