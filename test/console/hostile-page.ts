/** A hostile composition, and a host that it must not reach. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Test } from "tap";
import type { Page } from "../../render-farm/browser/browser.ts";

export interface Targets {
  /** The origin of another host. */
  readonly host: string;
  /** URLs beside the preview that the composition must not read. */
  readonly api: string;
  readonly page: string;
}

/** A composition that tries to break out; each attempt reports "reached" if it succeeds. */
export function hostileMarkup({ host, api, page }: Targets): string {
  return `<!doctype html><html><body style="background:#000">
<div data-composition-id="main" data-width="320" data-height="180" data-duration="1"></div>
<script>
const tries = {
  parent: () => parent.document.title,
  storage: () => sessionStorage.length,
  localStorage: () => localStorage.length,
  cookie: () => document.cookie.length,
  top: () => { top.location = "${host}/top"; },
  api: () => fetch("${api}").then((answer) => answer.status),
  console: () => fetch("${page}").then((answer) => answer.status),
  host: () => fetch("${host}/fetch").then((answer) => answer.status),
  blind: () => fetch("${host}/blind", { mode: "no-cors" }),
  image: () => new Promise((resolve, reject) => {
    const image = Object.assign(new Image(), { onload: resolve, onerror: reject });
    image.src = "${host}/image";
  }),
  socket: () => new Promise((resolve, reject) => {
    const socket = new WebSocket("${host}".replace("http", "ws") + "/socket");
    socket.onopen = resolve;
    socket.onerror = reject;
  }),
  frame: () => new Promise((resolve, reject) => {
    const frame = document.createElement("iframe");
    frame.src = "${api}";
    document.body.append(frame);
    frame.onload = () => frame.contentDocument === null ? reject(new Error("closed")) : resolve();
  }),
  window: () => { if (open("${host}/window") === null) throw new Error("refused"); },
};
const reached = [];
Promise.all(Object.entries(tries).map(async ([name, attempt]) => {
  try { await attempt(); reached.push(name); } catch {}
})).then(() => { document.title = "reached: " + reached.join(" "); });
for (const rel of ["prefetch", "preload", "stylesheet", "dns-prefetch"]) {
  const link = Object.assign(document.createElement("link"), { rel, href: "${host}/" + rel });
  link.as = "script";
  document.head.append(link);
}
navigator.sendBeacon("${host}/beacon");
const form = Object.assign(document.createElement("form"), { action: "${host}/form" });
document.body.append(form);
form.submit();
</script></body></html>`;
}

/** Opens a host that accepts all requests and records them. */
export async function openHost(t: Test) {
  const reached: string[] = [];
  const server = createServer((request, answer) => {
    reached.push(`${request.method} ${request.url}`);
    answer.setHeader("access-control-allow-origin", "*");
    answer.end("");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  return { host: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, reached };
}

/** Returns what the composition reached after all attempts; `page` shows it in a frame. */
export async function readReachedByPage(page: Page): Promise<string> {
  const inside = page.frames().find((one) => one.url().includes("/preview/"));
  for (;;) {
    const title = (await inside?.title()) ?? "reached: ?";
    if (title.startsWith("reached:")) return title;
  }
}
