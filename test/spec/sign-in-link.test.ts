/** Tests the link by which the person who started the service signs in to the console. */
import t from "tap";
import { openInProcess } from "./in-process-service.ts";

const path = "/console/sign-in";

t.test("the sign-in link of the start works once, for 15 minutes", async (t) => {
  const house = await openInProcess(t, {});
  const { signInLink } = house.service;
  const redeem = (link = "") =>
    house.stranger.post<{ token?: string }>(path, { code: link.split("=")[1] });
  const first = signInLink.make("http://klieg.test");
  t.match(first, /^http:\/\/klieg\.test\/console#sign-in=[\w-]{43}$/);
  t.equal((await redeem(`${first}x`)).status, 401, "another code");
  const { status, json } = await redeem(first);
  t.equal(status, 200);
  const me = await house.stranger.get("/v1/me", { authorization: `Bearer ${json.token}` });
  t.equal(me.status, 200);
  t.equal((await redeem(first)).status, 401, "it was used");
  const [old, second] = [signInLink.make(""), signInLink.make("")];
  t.equal((await redeem(old)).status, 401, "a later start has printed another");
  await house.advance(901_000);
  t.equal((await redeem(second)).status, 401, "it has expired");
});
