import t from "tap";
import { openInProcess } from "./in-process-service.ts";

const zipped = Buffer.from("1f8b0800000000000003abae050043bfa6a302000000", "hex");

t.test("C5: a body with a Content-Encoding answers 415 that names it", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { id } = (await ada.post<{ id: string }>("/v1/compositions", { name: "one" })).json;
  const form = { "content-type": "multipart/form-data; boundary=b" };
  for (const [method, path, headers] of [
    ["POST", "/v1/generate/image", { "content-type": "application/json" }],
    ["PATCH", `/v1/compositions/${id}`, {}],
    ["POST", "/v1/assets", form],
    ["PUT", `/v1/compositions/${id}/file?path=a.css`, { "content-type": "text/css" }],
    ["POST", `/v1/compositions/${id}/bundle`, { "content-type": "application/zip" }],
    ["POST", "/v1/oauth/token", { "content-type": "application/x-www-form-urlencoded" }],
  ] as const)
    for (const encoding of ["gzip", "br", "deflate", "GZIP", "identity, gzip", "x-unknown"]) {
      const parts = { body: zipped, headers: { ...headers, "content-encoding": encoding } };
      const answer = await ada.request(method, path, parts);
      t.equal(answer.status, 415, `${method} ${path} ${encoding}`);
      t.match(answer.json, { detail: /Content-Encoding/, title: "Unsupported Media Type" });
      t.equal(answer.headers["accept-encoding"], "identity");
    }
});

t.test("C5: identity is no encoding, and a request without a body may name any", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const headers = { "content-encoding": "identity" };
  t.equal((await ada.submit("a kite", {}, headers)).status, 202);
  t.equal((await ada.get("/v1/me", { "content-encoding": "gzip" })).status, 200);
});
