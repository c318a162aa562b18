/** Bodies of `multipart/form-data` that no browser sends, by seed. */
import type { Dice } from "./dice.ts";

export const boundary = "the-boundary";
const png = Buffer.from(
  "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8ffff3f0005fe02fea735b8350000000049454e44ae426082",
  "hex",
);

const heads = [
  'Content-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png',
  'Content-Disposition: form-data; name="file"; filename="b.png"',
  'Content-Disposition: form-data; name="other"; filename="c.png"\r\nContent-Type: image/png',
  'Content-Disposition: form-data; name="display_name"',
  'Content-Disposition: form-data; name="tags"',
  'Content-Disposition: form-data; name="unknown"',
  "Content-Disposition: form-data",
  "Content-Disposition: attachment; filename=x",
  'Content-Type: image/png\r\nContent-Disposition: form-data; name="file"; filename="../../x"',
  "",
  ":::",
] as const;

export function hostileForm(dice: Dice): Buffer {
  const parts: Buffer[] = [];
  for (let n = 1 + dice.number(5); n > 0; n--) {
    const body = dice.pick([png, dice.bytes(dice.number(3_000)), Buffer.from('["a"]')]);
    parts.push(Buffer.from(`--${boundary}\r\n${dice.pick(heads)}\r\n\r\n`), body);
    parts.push(Buffer.from(dice.number(8) === 0 ? "" : "\r\n"));
  }
  if (dice.number(4) > 0) parts.push(Buffer.from(`--${boundary}--\r\n`));
  const form = Buffer.concat(parts);
  return dice.number(4) === 0 ? form.subarray(0, dice.number(form.length)) : form;
}

export function manyParts(count: number): Buffer {
  const part = `--${boundary}\r\nContent-Disposition: form-data; name="tags"\r\n\r\n[]\r\n`;
  return Buffer.from(`${part.repeat(count)}--${boundary}--\r\n`);
}
