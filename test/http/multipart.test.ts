import t from "tap";
import { limits } from "../../config/limits.ts";
import { RefusalError } from "../../http/exchange/refusal-error.ts";
import { readForm } from "../../http/request/multipart.ts";
import { boundary, manyParts } from "../hostile/forms.ts";

/** A byte array that counts how often a piece of it is read. */
class CountedBytes extends Uint8Array {
  pieces = 0;

  override subarray(from?: number, to?: number): Uint8Array<ArrayBuffer> {
    this.pieces += 1;
    return new Uint8Array(this.buffer as ArrayBuffer).subarray(from, to);
  }
}

t.test("what comes behind the part that is refused is not taken apart (A2)", async (t) => {
  const bytes = new CountedBytes(manyParts(8_000));
  const body = (async function* () {
    yield bytes;
  })();
  const form = readForm(body, `multipart/form-data; boundary=${boundary}`, ["tags"], async () => 0);
  await t.rejects(form, RefusalError);
  t.ok(bytes.pieces > 0 && bytes.pieces * limits.assets.formSliceBytes < bytes.length / 4);
});
