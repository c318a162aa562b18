import t from "tap";
import { keyOf } from "../../engine/key.ts";
import { type Forms, listForm, rowForm, rowOf, spelled } from "../../engine/row-form.ts";

interface Kite {
  readonly name: string;
  readonly tail?: { readonly bows: number; readonly colour?: string };
  readonly knots: readonly { readonly at: number }[];
  readonly owner?: string;
}

const forms: Forms = new Map([
  [
    16,
    rowForm<Kite>({
      name: (key) => key.slice(2),
      tail: rowForm<NonNullable<Kite["tail"]>>({ bows: "plain", colour: "plain" }),
      knots: listForm(rowForm<Kite["knots"][number]>({ at: "plain" })),
      owner: "plain",
    }),
  ],
]);
const red = keyOf<Kite>(7, 16, "red");

t.test("a row is spelled by the places of its members, without what its key says", async (t) => {
  const row: Kite = { name: "red", tail: { bows: 3 }, knots: [{ at: 1 }, { at: 4 }], owner: "Ada" };
  const text = spelled(forms, red, row);
  t.equal(text, '[[3],[[1],[4]],"Ada"]');
  t.strictSame(rowOf(forms, red, text), row);
});

t.test("members that a row does not have are absent again when it is read", async (t) => {
  const row: Kite = { name: "red", knots: [] };
  t.equal(spelled(forms, red, row), "[null,[]]");
  t.strictSame(rowOf(forms, red, "[null,[]]"), row);
  t.notOk(Object.hasOwn(rowOf(forms, red, "[null,[]]") as object, "tail"));
});

t.test("a row of before a place was appended is read without that member", async (t) => {
  t.strictSame(rowOf(forms, red, '[[1,"blue"],[]]'), {
    name: "red",
    tail: { bows: 1, colour: "blue" },
    knots: [],
  });
});

t.test("a member that is null is refused, since it would be lost", async (t) => {
  const row = { name: "red", knots: [], owner: null };
  t.throws(() => spelled(forms, red, row), /absent or something/);
});

t.test("a table without a form spells its rows as JSON does", async (t) => {
  const key = keyOf(7, 17, "red");
  t.equal(spelled(forms, key, { owner: null }), '{"owner":null}');
  t.equal(spelled(undefined, red, [1]), "[1]");
  t.strictSame(rowOf(forms, key, '{"owner":null}'), { owner: null });
});
