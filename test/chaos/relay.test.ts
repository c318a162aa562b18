import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import t, { type Test } from "tap";
import { Relay } from "./relay.ts";

/** Opens an echo server and a relay in front of it. */
async function openEcho(t: Test) {
  const called: Socket[] = [];
  const server = createServer((socket) => {
    called.push(socket);
    socket.on("error", () => socket.destroy());
    socket.pipe(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const relay = await Relay.open((server.address() as AddressInfo).port);
  t.teardown(() => {
    relay.close();
    server.close();
    for (const socket of called) socket.destroy();
  });
  return { called, relay };
}

async function say(socket: Socket, text: string): Promise<string> {
  socket.write(text);
  const [bytes] = await once(socket, "data");
  return `${bytes}`;
}

t.test("a relay passes bytes and ends on", async (t) => {
  const { relay } = await openEcho(t);
  const socket = connect(relay.port, "127.0.0.1");
  t.equal(await say(socket, "a kite"), "a kite");
  socket.end();
  await once(socket, "close");
  t.pass("the other end was closed too");
});

t.test("a cut holds bytes back until it is healed, and loses none", async (t) => {
  const { relay } = await openEcho(t);
  const socket = connect(relay.port, "127.0.0.1");
  await say(socket, "before");
  const cut = { forward: false, backward: true };
  relay.cut(cut);
  let isHealed = false;
  const heard = say(socket, "a kite").then((text) => ({ text, isHealed }));
  // A round trip over another relay, in which time data on an open connection would have returned.
  const other = await openEcho(t);
  await say(connect(other.relay.port, "127.0.0.1"), "meanwhile");
  isHealed = true;
  relay.heal(cut);
  t.strictSame(await heard, { text: "a kite", isHealed: true });
  socket.destroy();
});

t.test("a connection that is opened during a cut gets through when it is over", async (t) => {
  const { relay, called } = await openEcho(t);
  const cut = { forward: true, backward: true };
  relay.cut(cut);
  const socket = connect(relay.port, "127.0.0.1");
  await once(socket, "connect");
  t.equal(called.length, 0);
  const heard = say(socket, "a kite");
  relay.heal(cut);
  t.equal(await heard, "a kite");
  socket.destroy();
});
