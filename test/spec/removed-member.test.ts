import t from "tap";
import type { Caller, Reply } from "./caller.ts";
import { type InProcess, openInProcess } from "./in-process-service.ts";
import { enter, foundPaidOrganization, join } from "./organizations.ts";

async function team(house: InProcess) {
  const [ada, bob] = [await house.account(), await house.account()];
  const org = await foundPaidOrganization(house, ada);
  await join(ada, org, bob, "member");
  for (const caller of [ada, bob]) await enter(caller, org);
  const { id } = await bob.job("sim:slow=3600000");
  await house.settle();
  return { ada, bob, id, member: `/v1/organizations/${org.id}/members/${bob.id}`, org };
}

function listWaiting(caller: Caller, id: string): Reply<unknown>[] {
  const heard: Reply<unknown>[] = [];
  void caller.get(`/v1/jobs/${id}/wait`).then((reply) => heard.push(reply));
  return heard;
}

t.test("an open stream and an open wait of a removed member are ended", async (t) => {
  const house = await openInProcess(t);
  const { ada, bob, id, member } = await team(house);
  const [his, hers] = [await house.follow(bob, id), await house.follow(ada, id)];
  const [bobs, adas] = [listWaiting(bob, id), listWaiting(ada, id)];
  const unused = await house.ticket(bob, id);
  await house.settle();
  t.equal((await ada.delete(member)).status, 204);
  await house.settle();
  t.equal(his.state, "ended");
  t.notOk(his.frames.some(({ event }) => event === "complete"));
  t.match(bobs, [{ status: 404 }], "as to anything else that he asks now");
  t.equal((await house.answer("GET", `/v1/jobs/${id}/sse?ticket=${unused}`)).status, 401);
  t.equal(hers.state, "open", "others follow on");
  t.strictSame(adas, []);
  await ada.cancel(id);
  await house.settle();
  t.match(adas, [{ status: 200 }]);
  t.match(hers.frames.at(-1), { event: "complete", data: { status: "canceled" } });
});

t.test("whose role may not read jobs any more follows none", async (t) => {
  const house = await openInProcess(t);
  const { ada, bob, id, member } = await team(house);
  const stream = await house.follow(bob, id);
  t.equal((await ada.patch(member, { role: "viewer" })).status, 200);
  await house.settle();
  t.equal(stream.state, "open", "viewers read all jobs");
  await ada.patch(member, { role: "billing_contact" });
  await house.settle();
  t.equal(stream.state, "ended");
});

t.test("a deleted organization's streams end", async (t) => {
  const house = await openInProcess(t);
  const { ada, bob, id, org } = await team(house);
  const stream = await house.follow(bob, id);
  t.equal((await ada.delete(`/v1/organizations/${org.id}`)).status, 204);
  await house.settle();
  t.equal(stream.state, "ended");
});
