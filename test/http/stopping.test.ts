/** What clients with open connections see of a listener that stops. */
import t from "tap";
import { Type } from "../../config/schema.ts";
import { type Answer, json } from "../../http/exchange/answer.ts";
import { route } from "../../http/route.ts";
import { get, hear } from "./heard.ts";

t.test(
  "who stops is answered to the end, once a connection, and new ones are refused",
  async (t) => {
    let isAsked = () => {};
    let finish = (_: Answer) => {};
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const slow = route("GET", "/v1/slow", {
      summary: "Answers when it is told to",
      answers: { 200: Type.Object({}) },
      access: "open",
      run: () =>
        new Promise<Answer>((resolve) => {
          finish = resolve;
          isAsked();
        }),
    });
    const { open, listener } = await hear(t, 100, [slow]);
    const idle = open();
    idle.write(get("/healthz"));
    t.notMatch((await idle.reply()).head, /connection: close/i);
    const waiting = open();
    waiting.write(get("/v1/slow"));
    await asked;

    listener.stopListening();
    idle.write(get("/healthz"));
    t.match(await idle.reply(), { status: 200, head: /connection: close/i });
    t.ok(await idle.closesSilently());
    const ends: string[] = [];
    const answered = listener.awaitAnswered(60_000).then(() => ends.push("answered"));
    await open().whenClosed;
    t.strictSame(ends, [], "one waits for its answer");
    finish(json(200, {}));
    t.match(await waiting.reply(), { status: 200, head: /connection: close/i });
    await answered;
    t.strictSame(ends, ["answered"]);
  },
);
