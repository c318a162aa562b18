import t from "tap";
import { GenerateSetRequest } from "../../actors/contract/generation.ts";
import { check } from "../../config/schema.ts";
import { parseBody } from "../../http/body.ts";

t.test("an optional member may be null with the meaning of absent, in lists, too", async (t) => {
  const text =
    '{"name":null,"base":{"model":"default","seed":null},"members":[{"label":"a","prompt":null}]}';
  t.strictSame(parseBody(Buffer.from(text), check<GenerateSetRequest>(GenerateSetRequest)), {
    base: { model: "default" },
    members: [{ label: "a" }],
  });
});
