import t from "tap";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { wireVersion } from "../../engine/ports/wire-version.ts";
import { readHop, writeHop } from "../../http/cluster/hop-head.ts";
import {
  bodyDigest,
  HopNonces,
  HopSigner,
  isSameSignature,
} from "../../http/cluster/hop-signature.ts";

const signer = new HopSigner("a key that all nodes of the cluster share");
const nonce = "drawn-for-this-request";
const to = { node: "one", startedAtMs: 4 };
const hop = writeHop({ to, headers: {}, address: "10.0.0.9", hasBody: true, atMs: 5, nonce });

t.test("a signature covers method, path, query and all that the node says", (t) => {
  const given = signer.signHead("GET", "/v1/me?a=b", hop);
  t.ok(isSameSignature(signer.signHead("GET", "/v1/me?a=b", hop), given));
  t.notOk(isSameSignature(signer.signHead("PUT", "/v1/me?a=b", hop), given));
  t.notOk(isSameSignature(signer.signHead("GET", "/v1/me?a=c", hop), given));
  t.notOk(isSameSignature(signer.signHead("GET", "/v1/me?a=b", `${hop}A`), given));
  t.notOk(isSameSignature(new HopSigner("another key").signHead("GET", "/v1/me?a=b", hop), given));
  t.notOk(isSameSignature(given, ""));
  t.end();
});

t.test("a signature of a body is of its bytes and of its request", (t) => {
  const given = signer.signBody(nonce, bodyDigest().update("a kite"));
  t.ok(isSameSignature(signer.signBody(nonce, bodyDigest().update("a ").update("kite")), given));
  t.notOk(isSameSignature(signer.signBody(nonce, bodyDigest().update("a kit")), given));
  t.notOk(isSameSignature(signer.signBody("another", bodyDigest().update("a kite")), given));
  t.end();
});

t.test("a request is taken once, within 30 s of its time", (t) => {
  const clock = new ManualClock(100_000);
  const nonces = new HopNonces(clock);
  t.ok(nonces.takes("one", 100_000));
  t.notOk(nonces.takes("one", 100_000));
  t.notOk(nonces.takes("two", 69_999), "too old");
  t.notOk(nonces.takes("three", 130_001), "from the future");
  t.notOk(nonces.takes("four", Number.NaN));
  clock.advance(60_001);
  t.notOk(nonces.takes("one", 100_000), "too old when it is forgotten");
  t.ok(nonces.takes("five", clock.nowMs()));
  t.end();
});

t.test("what is no head of a forwarded request is none", (t) => {
  t.match(readHop(hop), { to, headers: {}, address: "10.0.0.9", hasBody: true, atMs: 5, nonce });
  for (const text of ["", "e30", "bnVsbA", "%%%", Buffer.from('{"atMs":5}').toString("base64url")])
    t.equal(readHop(text), undefined, text);
  t.end();
});

t.test("what a later version adds is passed over, and one of another major is none", (t) => {
  const said = JSON.parse(Buffer.from(hop, "base64url").toString()) as object;
  const write = (more: object) =>
    Buffer.from(JSON.stringify({ ...said, ...more })).toString("base64url");
  const { major, minor } = wireVersion;
  t.match(readHop(write({ wire: [major, minor + 1], addedLater: true })), { nonce });
  t.equal(readHop(write({ wire: [major + 1, 0] })), undefined);
  t.end();
});
