import t from "tap";
import { TrustedProxies } from "../../http/transport/trusted-proxies.ts";
import { get, hear } from "./heard.ts";

t.test("the client is the rightmost address that is not trusted (D10)", async (t) => {
  const proxies = new TrustedProxies(["10.0.0.0/8", "::1"]);
  for (const [peer, forwardedFor, client] of [
    ["203.0.113.9", "198.51.100.7", "203.0.113.9"],
    ["10.0.0.1", undefined, "10.0.0.1"],
    ["10.0.0.1", "198.51.100.7", "198.51.100.7"],
    ["10.0.0.1", "6.6.6.6, 198.51.100.7, 10.2.3.4", "198.51.100.7"],
    ["::1", "198.51.100.7:4711", "198.51.100.7"],
    ["::1", "[2001:db8::7]:443", "2001:db8::7"],
    ["10.0.0.1", "198.51.100.7, unknown", "10.0.0.1"],
    ["10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
    ["10.0.0.1", "", "10.0.0.1"],
  ] as const)
    t.equal(proxies.client(peer, forwardedFor), client, `${peer} for ${forwardedFor}`);
});

t.test("limits per address spare trusted proxies (D10)", async (t) => {
  const { open } = await hear(t, 2, [], ["127.0.0.1"]);
  const connections = [open(), open(), open()];
  for (const connection of connections) {
    connection.write(get("/healthz"));
    t.equal((await connection.reply()).status, 200);
  }
});
