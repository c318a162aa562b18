/** Previews: the links of `POST /v1/compositions/{id}/preview`, and what they lead to. */
import t from "tap";
import type { Static } from "../../config/schema.ts";
import type { Preview } from "../../contract/composition.ts";
import { make, page, putFile } from "./composition-steps.ts";
import { openInProcess } from "./in-process-service.ts";

t.test("a preview's link shows one revision to who has it, for a while", async (t) => {
  const house = await openInProcess(t);
  const caller = await house.account();
  const video = '<video id="v" src="sea.mp4" data-start="0" data-duration="1"></video>';
  const id = await make(caller, { "index.html": page({ inside: video }), "a/b.css": "p{}" });
  const minted = await caller.post<Static<typeof Preview>>(`/v1/compositions/${id}/preview`);
  t.equal(minted.status, 201);
  t.equal(minted.json.expires_at, "2026-04-15T13:00:00.000Z");
  // GET /preview/{ticket}/{rest}
  const { pathname } = new URL(minted.json.url);
  const base = pathname.slice(0, -"index.html".length);
  const shown = await house.stranger.get(pathname);
  t.equal(shown.status, 200);
  t.match(shown.headers["content-security-policy"], /^sandbox allow-scripts; default-src 'none'/);
  t.equal(shown.headers["access-control-allow-origin"], "*");
  t.match(shown.text, `<script src="${base}.klieg/preview.js"></script>`);
  t.match(shown.text, /<video crossorigin=anonymous data-klieg-key="\d+" id="v"/);
  const film = await house.stranger.get<object>(`${base}.klieg/film`);
  t.match(film.json, { duration: 2, media: [{ url: `${base}sea.mp4?klieg-played` }] });
  t.equal((await house.stranger.get(`${base}a/b.css`)).text, "p{}");
  t.equal((await house.stranger.get(`${base}none.css`)).status, 404);
  t.equal((await house.stranger.get(`${base}.klieg/asset/none`)).status, 404);
  const forged = pathname.replace(`.${minted.json.revision}.`, ".9.");
  t.equal((await house.stranger.get(forged)).status, 403);
  await putFile(caller, id, "a/b.css", "p{color:red}");
  t.equal((await house.stranger.get(pathname)).status, 404, "another revision");
  await house.advance(3_601_000);
  t.equal((await house.stranger.get(pathname)).status, 403, "the link has expired");
});
