/** Names are one line of text. */
import t from "tap";
import type { Refused } from "./caller.ts";
import { openInProcess } from "./in-process-service.ts";
import { organization } from "./organizations.ts";

const hostile = [
  "\u001b]52;c;aGk=\u0007",
  "two\nlines",
  "\u202egpj.exe",
  "\u2066a\u2069",
  "\u007f",
  "\u009b2J",
];

t.test(
  "A5: names with control or bidirectional characters answer 400 naming the field",
  async (t) => {
    const house = await openInProcess(t);
    const ada = await house.account();
    const org = await organization(ada);
    const composition = (await ada.post<{ id: string }>("/v1/compositions", {})).json.id;
    const asset = (await ada.job("a kite")).id;
    const image = { model: "sim-instant", prompt: "a kite" };
    const scopes = ["jobs:read"];
    const upload = { filename: "a.png", mime_type: "image/png", size_bytes: 7 };
    const cases: readonly (readonly [string, string, string, (name: string) => object])[] = [
      ["POST", "/v1/compositions", "/name", (name) => ({ name })],
      ["PATCH", `/v1/compositions/${composition}`, "/name", (name) => ({ name })],
      ["POST", `/v1/compositions/${composition}/clone`, "/name", (name) => ({ name })],
      ["POST", "/v1/organizations", "/name", (name) => ({ name })],
      ["PATCH", `/v1/organizations/${org.id}`, "/name", (name) => ({ name })],
      ["POST", "/v1/tokens", "/name", (name) => ({ name })],
      ["POST", "/v1/oauth/clients", "/name", (name) => ({ name, scopes })],
      ["POST", "/v1/agent/sessions", "/title", (title) => ({ title })],
      ["POST", `/v1/assets/${asset}/share`, "/name", (name) => ({ name })],
      [
        "POST",
        "/v1/assets/uploads",
        "/display_name",
        (name) => ({ ...upload, display_name: name }),
      ],
      ["PATCH", `/v1/assets/${asset}`, "/display_name", (name) => ({ display_name: name })],
      ["POST", "/v1/generate/image", "/display_name", (name) => ({ ...image, display_name: name })],
      [
        "POST",
        "/v1/generate/set",
        "/name",
        (name) => ({ name, base: image, members: [{ label: "one" }] }),
      ],
      [
        "POST",
        "/v1/generate/set",
        "/members/0/label",
        (label) => ({ base: image, members: [{ label }] }),
      ],
    ];
    for (const [method, path, pointer, makeBody] of cases)
      for (const name of hostile) {
        const { status, json } = await ada.request<Refused>(method, path, { body: makeBody(name) });
        t.equal(status, 400, `${method} ${path}`);
        t.match(json.errors, [{ pointer, detail: "must be one line" }]);
      }
    const { status } = await ada.post("/v1/compositions", { name: "Größe \u{1f3ac} \u05d0\u05d1" });
    t.equal(status, 201, "other letters are fine, also those of other directions");
  },
);

t.test("A5: names that follow from a prompt or a filename are one line", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { id } = await ada.job("a kite\n\u202eover\tthe sea");
  await house.advance(250);
  const { asset } = await ada.read(id);
  t.equal(asset?.display_name, "a kite over the sea");
});
