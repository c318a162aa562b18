import t from "tap";
import { canonicalJson } from "../../actors/generation/canonical.ts";

t.test("keys are sorted at every depth, the order of lists is kept", async (t) => {
  t.equal(
    canonicalJson({ b: 1, a: { d: [3, { z: 1, y: 2 }], c: true } }),
    '{"a":{"c":true,"d":[3,{"y":2,"z":1}]},"b":1}',
  );
});

t.test("nulls and absent members are removed", async (t) => {
  t.equal(canonicalJson({ a: undefined, b: 1 }), '{"b":1}');
  t.equal(canonicalJson({ a: null, b: { c: null } }), '{"b":{}}');
});

t.test("numbers are in shortest form", async (t) => {
  t.equal(canonicalJson([1.0, 1e3, 0.1, -0]), "[1,1000,0.1,0]");
});

t.test("strings are NFC", async (t) => {
  t.equal(canonicalJson({ a: "e\u0301" }), canonicalJson({ a: "\u00e9" }));
  t.not(canonicalJson({ a: "e" }), canonicalJson({ a: "\u00e9" }));
});

t.test("what differs in type differs in form", async (t) => {
  const values = [1, "1", true, "true", [1], { 1: 1 }, "", [], {}];
  t.equal(new Set(values.map(canonicalJson)).size, values.length);
});
