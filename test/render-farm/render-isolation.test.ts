import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import t, { type Test } from "tap";
import { launch, ownChromium } from "../../render-farm/browser/browser.ts";
import { findChromium } from "../../render-farm/browser/chromium-path.ts";
import { alone } from "./alone.ts";
import { type ChildProcess, childProcesses, isBrowsers, isRunning } from "./child-processes.ts";
import { composition, type FilmBench, isNear, openFilmBench, patient } from "./film-bench.ts";

const bench = await openFilmBench(t);
const { isolation } = bench;
const skip = (isolation.kind === "ready" && isolation.warning) || false;
const box = `<div id="b" class="clip" data-start="0" data-duration="9"
  style="left:0;top:0;width:100px;height:100px;background:#fff"></div>`;

/** Lists the processes that run in the middle of a film. */
async function listProcesses(root: string): Promise<readonly ChildProcess[]> {
  let seen: readonly ChildProcess[] = [];
  const outcome = await bench.worker.run({
    ...alone,
    input: await bench.readInput(composition(root)),
    outputPrefix: "out/watched",
    signal: new AbortController().signal,
    reportProgress: (fraction) => {
      if (fraction > 0.5 && seen.length === 0) seen = childProcesses();
    },
  });
  t.equal(outcome.kind, "succeeded");
  return seen;
}

const isRoot = process.getuid?.() === 0;

/** Returns a namespace of the test's own process. */
const ours = (kind: string): string => readlinkSync(`/proc/self/ns/${kind}`);

t.test(
  "pages run as a user who owns nothing, in a sandbox, without a network (B4)",
  { skip },
  async (t) => {
    const processes = (await listProcesses(box)).filter(isBrowsers);
    t.ok(processes.length >= 3, `${processes.length} processes`);
    for (const { command, uid, status, namespaces, network } of processes) {
      const kind = /--type=([\w-]+)/.exec(command)?.[1] ?? "browser";
      if (isRoot) t.ok(uid >= 60_706 && uid < 61_184, `${kind}: ${uid}`);
      t.equal(status("NoNewPrivs"), "1", kind);
      // A zygote makes the renderers' sandbox, in a user namespace of its own.
      if (kind !== "zygote") t.match(status("CapEff"), /^0+$/, kind);
      for (const one of ["mnt", "net", "pid"] as const) t.not(namespaces[one], ours(one), kind);
      if (kind === "renderer") t.equal(status("Seccomp"), "2", "system calls are filtered");
      if (kind !== "browser") continue;
      const names = [...network.interfaces.matchAll(/^\s*(\w+):/gm)].map(([, name]) => name);
      t.strictSame(names, ["lo"]);
      t.notMatch(network.addresses, "127.0.0.1", "and it is down");
      t.notMatch(command, "--no-sandbox");
    }
  },
);

t.test("each browser has a user of its own (B4)", { skip: skip || !isRoot }, async (t) => {
  const { chromium } = isolation as Extract<typeof isolation, { kind: "ready" }>;
  const browsers = [await launch(chromium), await launch(chromium)];
  const users = new Set(
    childProcesses()
      .filter(isBrowsers)
      .map(({ uid }) => uid),
  );
  for (const { close } of browsers) await close();
  t.equal(users.size, 2);
});

t.test("what encodes a film runs in the same fence (B3)", { skip }, async (t) => {
  const tools = (await listProcesses(box)).filter(({ command }) => /^\S*ffmpeg /.test(command));
  t.ok(tools.length > 0);
  for (const { uid, status, namespaces } of tools) {
    if (isRoot) t.not(uid, 0);
    t.equal(status("NoNewPrivs"), "1");
    t.match(status("CapEff"), /^0+$/);
    for (const one of ["mnt", "net", "pid"] as const) t.not(namespaces[one], ours(one), one);
  }
});

t.test("all processes of a film's browsers end with it", async (t) => {
  const processes = (await listProcesses(box)).filter(isBrowsers);
  t.ok(processes.length > 0);
  while (processes.some(({ pid }) => isRunning(pid))) await turn();
});

t.test("no page reaches loopback, link-local, files or other renders", async (t) => {
  await seesNothing(t, bench);
});

t.test("nor does one whose operator accepts that namespaces are not allowed", async (t) => {
  const executablePath = (await findChromium(undefined, "/usr/bin:/bin")) ?? ownChromium();
  const chromium = { executablePath, sandbox: process.getuid?.() !== 0 };
  const bare = { kind: "ready", chromium, warning: undefined } as const;
  await seesNothing(t, await openFilmBench(t, 1, patient, bare));
});

async function seesNothing(t: Test, bench: FilmBench): Promise<void> {
  const reached: string[] = [];
  const server = createServer((socket) => {
    reached.push("TCP");
    socket.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const listener = createSocket("udp4", () => reached.push("UDP"));
  listener.bind(0, "127.0.0.1");
  await once(listener, "listening");
  t.teardown(() => {
    server.close();
    listener.close();
  });
  const secret = join(t.testdir(), "secret.js");
  writeFileSync(secret, "globalThis.document && (document.body.dataset.leak = 'file');");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const files = {
    ...composition(`${box}${probes(port, listener.address().port, secret)}`),
    "worker.js": "importScripts(decodeURIComponent(location.hash.slice(1)));postMessage('leak')",
    "sw.js": "self.addEventListener('fetch', (event) => event.respondWith(new Response('leak')));",
  };
  const film = await bench.film(files);
  const [pixel] = await film.pixels(20, [50, 50]);
  t.ok(isNear(pixel, [0, 255, 0]), `${pixel}: green when everything was refused`);
  t.strictSame(reached, []);
  for (const named of [`127.0.0.1:${port}/fetch`, "169.254.169.254/", "localhost"])
    t.ok(
      film.warnings.some((warning) => warning.includes(named)),
      `${named} in ${film.warnings.join("\n")}`,
    );
}

/** Tries every way to request something; turns the box green when none was answered. */
function probes(tcp: number, udp: number, secret: string): string {
  const base = `http://127.0.0.1:${tcp}`;
  return `<style>@import url(${base}/import.css);
      @font-face{font-family:F;src:url(${base}/font.woff2)} #b{font-family:F}
      #root{background-image:url(${base}/style.png)}</style>
    <link rel="stylesheet" href="${base}/link.css"><link rel="preconnect" href="${base}">
    <link rel="prefetch" href="${base}/prefetch"><link rel="preload" as="image" href="${base}/p">
    <meta http-equiv="refresh" content="0;url=${base}/refresh">
    <img src="${base}/img.png"><img src="file:///etc/hostname"><script src="${base}/s.js"></script>
    <script src="file://${secret}"></script><iframe src="${base}/frame"></iframe>
    <iframe src="file://${secret}"></iframe><object data="${base}/object"></object>
    <embed src="${base}/embed"><form id="f" method="post" action="${base}/post"></form>
    <a id="a" href="#" ping="${base}/ping">a</a><script>
    const answered = [];
    const never = (name, work) => work.then(() => answered.push(name), () => undefined);
    const tried = (name, run) => { try { return run(); } catch (fault) { return undefined; } };
    const loads = (name, thing, good = "load") => never(name, new Promise((done, fail) => {
      thing.addEventListener(good, done); thing.addEventListener("error", fail); }));
    const all = ["${base}/fetch", "http://localhost:${tcp}/", "http://[::1]:${tcp}/",
      "http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/", "file:///etc/passwd",
      "file://${secret}", "https://example.org/"].map((url) => never(url, fetch(url)));
    all.push(never("opaque", fetch("${base}/opaque", { mode: "no-cors" })));
    const request = new XMLHttpRequest();
    request.open("GET", "${base}/xhr"); request.send(); loads("xhr", request);
    for (const to of ["${base}/worker.js", "file://${secret}"]) {
      const worker = tried("worker", () => new Worker("worker.js#" + encodeURIComponent(to)));
      if (worker) loads("worker", worker, "message");
    }
    loads("socket", new WebSocket("ws://127.0.0.1:${tcp}/socket"), "open");
    loads("events", new EventSource("${base}/events"), "open");
    navigator.sendBeacon("${base}/beacon", "x");
    never("module", import("${base}/module.js"));
    const { serviceWorker } = navigator;
    never("service worker", serviceWorker.register("sw.js")
      .then(() => serviceWorker.getRegistrations())
      .then(([first]) => first ?? Promise.reject()));
    const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${udp}" }] });
    peer.addEventListener("icecandidate", ({ candidate }) => {
      if (/ (srflx|relay) |\\d+\\.\\d+\\.\\d+\\.\\d+/.test(candidate?.candidate ?? ""))
        answered.push("peer"); });
    peer.createDataChannel("x");
    peer.createOffer().then((offer) => peer.setLocalDescription(offer));
    window.open("${base}/window"); window.open("file:///etc/passwd");
    document.getElementById("f").submit();
    document.getElementById("a").click();
    location.assign("${base}/assign");
    const frames = [...document.querySelectorAll("iframe")];
    requestAnimationFrame(function look() {
      const read = frames.some((frame) => tried("frame",
        () => frame.contentDocument?.body?.textContent.includes("leak")));
      const good = answered.length === 0 && !read && !document.body.dataset.leak;
      document.getElementById("b").style.background = good ? "#0f0" : "#f00";
      requestAnimationFrame(look);
    });</script>`;
}
