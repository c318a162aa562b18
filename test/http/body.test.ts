import t from "tap";
import { check } from "../../config/schema.ts";
import { GenerateImageRequest, GenerateSetRequest } from "../../contract/generation.ts";
import { CancelJobsRequest } from "../../contract/job.ts";
import { RefusalError } from "../../http/exchange/refusal-error.ts";
import { parseBody } from "../../http/request/body.ts";

t.test("an optional member may be null with the meaning of absent, in lists, too", async (t) => {
  const text =
    '{"name":null,"base":{"model":"default","seed":null},"members":[{"label":"a","prompt":null}]}';
  t.strictSame(parseBody(Buffer.from(text), check<GenerateSetRequest>(GenerateSetRequest)), {
    base: { model: "default" },
    members: [{ label: "a" }],
  });
});

/** Returns the faults that the refusal of a body lists. */
function listFaults(text: string, test = check(GenerateImageRequest)): object {
  try {
    parseBody(Buffer.from(text), test);
    return {};
  } catch (error) {
    if (error instanceof RefusalError && error.refusal.code === "validation")
      return error.refusal.faults;
    throw error;
  }
}

const members = (count: number) => Array.from({ length: count }, (_, n) => `"k${n}":1`).join(",");

t.test("what is wrong with a body is named in at most 20 entries (A4)", async (t) => {
  t.equal((listFaults(`{"model":"x",${members(400)}}`) as object[]).length, 20);
  t.match(listFaults(`{"${"k".repeat(5_000)}":1}`), [{}, { pointer: /^.{250,260}$/ }]);
});

t.test("a body is bounded before it is parsed and before it is checked (A4)", async (t) => {
  const many = "the body has more than 10000 members and items";
  t.match(listFaults(`{${members(90_000)}}`), [{ pointer: "", detail: many }]);
  t.match(listFaults(`{"tags":[${"1,".repeat(200_000)}1]}`), [{ pointer: "", detail: many }]);
  const ids = `{"ids":[${'"a",'.repeat(3_000)}"a"]}`;
  const detail = "has more than 2000 entries";
  t.match(listFaults(ids, check(CancelJobsRequest)), [{ pointer: "/ids", detail }]);
  t.match(listFaults(`{"meta":${"[".repeat(100_000)}`), [{ detail: /deeper than 32 levels/ }]);
});

t.test("half of a surrogate pair answers 400 (D7)", async (t) => {
  const detail = "has half of a surrogate pair";
  t.match(listFaults('{"prompt":"a \\ud83d kite"}'), [{ pointer: "/prompt", detail }]);
  t.match(listFaults('{"\\uDC00":1}'), [{ pointer: "", detail }]);
  const whole = '{"model":"x","prompt":"\\ud83e\\ude81"}';
  t.match(parseBody(Buffer.from(whole), check<{ prompt: string }>(GenerateImageRequest)), {
    prompt: "\u{1fa81}",
  });
});
