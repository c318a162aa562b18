import t from "tap";
import { systemClock } from "../../engine/adapters/system-clock.ts";
import { Api } from "../../http/api.ts";
import { route } from "../../http/route.ts";
import { routeTable } from "../../http/route-table.ts";
import { listen } from "../../http/server.ts";
import { openInProcess } from "../spec/in-process-service.ts";
import { freePort, RawConnection } from "./raw-http.ts";

t.test("a header with a line break is left out of the answer", async (t) => {
  const loose = route("GET", "/loose", {
    access: "open",
    run: () => ({ status: 200, headers: [["X-Loose", "a\r\nSet-Cookie: b"]], body: "" }),
  });
  const house = await openInProcess(t);
  const port = await freePort();
  const api = new Api(house.service, [...routeTable, loose]);
  const listener = await listen(
    api,
    { host: "127.0.0.1", port, connectionsPerAddress: 10 },
    systemClock,
  );
  const connection = new RawConnection(port);
  t.teardown(() => {
    connection.end();
    listener?.stopListening();
    listener?.close();
  });
  connection.write("GET /loose HTTP/1.1\r\nHost: klieg.example\r\n\r\n");
  const { status, head } = await connection.reply();
  t.equal(status, 200);
  t.notMatch(head, /Set-Cookie|X-Loose/);
  connection.write("GET /healthz HTTP/1.1\r\nHost: klieg.example\r\n\r\n");
  t.equal((await connection.reply()).status, 200, "the service goes on");
});
