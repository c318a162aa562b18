/** What one client is: an IPv4 address, the /64 of an IPv6 address, and the /48 around it. */
import t from "tap";
import { limits } from "../../config/limits.ts";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { createSeededEntropy } from "../../engine/adapters/seeded-entropy.ts";
import { RateClasses } from "../../http/auth/rate-classes.ts";
import { ShareRates } from "../../http/shares/share-rates.ts";
import { clientAt, findClient } from "../../http/transport/clients.ts";
import { Connections } from "../../http/transport/connections.ts";
import { TrustedProxies } from "../../http/transport/trusted-proxies.ts";

const noProxies = new TrustedProxies([]);

t.test("A2: one function makes a client of an address", async (t) => {
  const ipv4 = { name: "c6336407", network: undefined };
  for (const address of ["198.51.100.7", "::ffff:198.51.100.7", "::ffff:c633:6407"])
    t.strictSame(findClient(address), ipv4, address);
  const ipv6 = { name: "20010db800070009", network: "20010db80007" };
  for (const address of ["2001:db8:7:9::1", "2001:DB8:7:9:ffff:0:0:2"])
    t.strictSame(findClient(address), ipv6, address);
  t.strictSame(findClient("unknown"), { name: "unknown", network: undefined });
  t.strictSame(clientAt("c6336407"), ipv4);
  t.strictSame(clientAt("00000000000000000000ffffc6336407"), ipv4);
});

t.test("A2: anonymous requests are counted by /64, and by /48 with a larger bound", async (t) => {
  const rates = new RateClasses(new ManualClock(0), noProxies);
  const { anonymous } = limits.rates;
  const isOver = (address: string) => rates.countAddress(address)?.isOver;
  for (let n = 0; n < anonymous; n++) t.notOk(isOver(`2001:db8::${n.toString(16)}`));
  t.ok(isOver("2001:db8::ffff"), "three hundred addresses of a /64 are one client");
  t.notOk(isOver("2001:db8:0:1::1"), "the next /64 is another one");
  for (let n = 2; n <= 16; n++)
    for (let m = 0; m < anonymous; m++) isOver(`2001:db8:0:${n.toString(16)}::1`);
  t.ok(isOver("2001:db8:0:ffff::1"), "a /48 has sixteen times as much");
  t.notOk(isOver("2001:db8:1::1"));
});

t.test("A2: share links and their passwords are counted by client", async (t) => {
  const rates = new ShareRates(new ManualClock(0), createSeededEntropy(1), noProxies, true);
  const { perAddress, wrongPasswords } = limits.shares;
  for (let n = 0; n < perAddress; n++) rates.countResolution(`2001:db8::${n}`, `link ${n}`);
  t.throws(() => rates.countResolution("2001:db8::ffff", "link"));
  const guess = (n: number) => rates.guard(`2001:db8:5::${n}`, "link", async () => false);
  for (let n = 0; n < wrongPasswords; n++) t.notOk(await guess(n));
  await t.rejects(guess(99));
});

t.test("A2: wrong passwords of one link are counted whatever client they come from", async (t) => {
  const clock = new ManualClock(0);
  const rates = new ShareRates(clock, createSeededEntropy(1), noProxies, false);
  const guess = (n: number, isRight: boolean, link = "link") =>
    rates.guard(`198.51.${n}.7`, link, async () => isRight);
  for (let n = 0; n < 100; n++) t.notOk(await guess(n, false));
  await t.rejects(guess(200, true), "the right one is not told apart");
  t.ok(await guess(200, true, "another link"));
  clock.advance(600_000);
  t.ok(await guess(200, true));
});

t.test("A2: connections are counted by client", async (t) => {
  const table = () => undefined;
  const connections = new Connections(8080, 4, new ManualClock(0), table);
  const open = (last: string) => connections.onOpen(`20010db800000000${last.padStart(16, "0")}`);
  for (const last of ["1", "2", "3", "4"]) t.ok(open(last));
  t.notOk(open("5"));
  t.ok(connections.onOpen("c6336407"));
});
