/** Tests connections to a NATS server that stops answering. */
import t from "tap";
import { closeNats, connectNats } from "../../engine/adapters/nats/nats.ts";
import { startNats } from "../nats-server.ts";

t.test("a connection to a server that stands still is closed when its time is over", async (t) => {
  const server = await startNats(t);
  const { url } = server;
  const connection = await connectNats({ servers: [url], credentials: undefined, name: "test" });
  connection.subscribe("subject", { callback: () => undefined });
  await connection.flush();
  await server.pause();
  await closeNats(connection, 100);
  t.ok(connection.isClosed());
});
