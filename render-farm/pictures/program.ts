import { encode, messagesIn } from "../fence/message.ts";
import { carryOut } from "./decoding.ts";
import type { PictureAnswer, PictureOrder } from "./orders.ts";

/** The program in the fence that decodes pictures: reads an order, writes its answer, repeats. */
for await (const { head, body } of messagesIn(process.stdin, Number.MAX_SAFE_INTEGER)) {
  const { order } = head as { readonly order: PictureOrder };
  const made = await carryOut(order, body).catch(() => undefined);
  const answer: PictureAnswer = { isDecoded: made !== undefined, ...made?.said };
  for (const part of encode(answer, made?.bytes)) process.stdout.write(part);
}
