/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/**
 * Runs first in every frame of a page, as a plain script: time stops until the film sets it, and
 * random numbers are always the same.
 *
 * While a page loads, timers of up to `promptMs` run at once, because scripts wait for them to set
 * themselves up; all others wait for the film's own time.
 */
interface Timer {
  readonly due: number;
  readonly every: number | undefined;
  readonly call: () => void;
}

const promptMs = 100;
/** Any date would do; it must only be the same. */
const epochMs = 1_767_225_600_000;
const runsMax = 20_000;
const realTimeout = window.setTimeout.bind(window);
const timers = new Map<number, Timer>();
let painters = new Map<number, FrameRequestCallback>();
let nowMs = 0;
let nextId = 1;
let isLoading = true;
let seed = 0x9e3779b9;

function random(): number {
  seed = (seed + 0x6d2b79f5) | 0;
  let bits = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
  return ((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296;
}

function report(fault: unknown): void {
  window.reportError(fault);
}

function run(call: () => void): void {
  try {
    call();
  } catch (fault) {
    report(fault);
  }
}

function addTimer(handler: unknown, delay: unknown, values: unknown[], repeats: boolean): number {
  const id = nextId++;
  const wait = Math.max(0, Number(delay) || 0);
  const call = (): void => {
    if (typeof handler === "function") Reflect.apply(handler, window, values);
  };
  timers.set(id, { due: nowMs + wait, every: repeats ? Math.max(1, wait) : undefined, call });
  if (isLoading && !repeats && wait <= promptMs)
    realTimeout(() => {
      if (timers.delete(id)) run(call);
    }, wait);
  return id;
}

/** Runs what is due by then, in the order of its time, then what waits for a frame. */
function advance(toMs: number): void {
  isLoading = false;
  for (let runs = 0; runs < runsMax; runs++) {
    const next = [...timers].reduce<readonly [number, Timer] | undefined>(
      (first, entry) => (first === undefined || entry[1].due < first[1].due ? entry : first),
      undefined,
    );
    if (next === undefined || next[1].due > toMs) break;
    const [id, timer] = next;
    nowMs = Math.max(nowMs, timer.due);
    if (timer.every === undefined) timers.delete(id);
    else timers.set(id, { ...timer, due: timer.due + timer.every });
    run(timer.call);
  }
  nowMs = toMs;
  paint();
}

function paint(): void {
  const waiting = painters;
  painters = new Map();
  for (const painter of waiting.values()) run(() => painter(nowMs));
}

function replace(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, configurable: true, writable: true });
}

replace(
  window,
  "Date",
  new Proxy(Date, {
    construct: (real, given, asked) =>
      Reflect.construct(real, given.length === 0 ? [epochMs + nowMs] : given, asked),
    apply: (real) => Reflect.construct(real, [epochMs + nowMs]).toString(),
    get: (real, name) => (name === "now" ? () => epochMs + nowMs : Reflect.get(real, name)),
  }),
);
replace(Performance.prototype, "now", () => nowMs);
replace(Math, "random", random);
replace(Crypto.prototype, "getRandomValues", (array: Uint8Array) => {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  for (let at = 0; at < bytes.length; at++) bytes[at] = Math.floor(random() * 256);
  return array;
});
replace(window, "setTimeout", (handler: unknown, delay: unknown, ...values: unknown[]) =>
  addTimer(handler, delay, values, false),
);
replace(window, "setInterval", (handler: unknown, delay: unknown, ...values: unknown[]) =>
  addTimer(handler, delay, values, true),
);
replace(window, "clearTimeout", (id: number) => void timers.delete(id));
replace(window, "clearInterval", (id: number) => void timers.delete(id));
replace(window, "requestAnimationFrame", (painter: FrameRequestCallback) => {
  painters.set(nextId, painter);
  return nextId++;
});
replace(window, "cancelAnimationFrame", (id: number) => void painters.delete(id));
replace(window, "requestIdleCallback", (handler: (deadline: object) => void) =>
  addTimer(() => handler({ didTimeout: false, timeRemaining: () => 10 }), 0, [], false),
);
replace(HTMLMediaElement.prototype, "play", () => Promise.resolve());

/** Requests of scripts that have not ended. */
let waiting = 0;
/** How often `waiting` is checked, some milliseconds apart, before the wait is given up. */
let looksLeft = 2_000;

function counted<T>(work: Promise<T>): Promise<T> {
  waiting += 1;
  const done = (): void => {
    waiting -= 1;
  };
  work.then(done, done);
  return work;
}

/** The same method, with its promises counted. */
function count(owner: object, name: string): void {
  const real: unknown = Reflect.get(owner, name);
  if (typeof real !== "function") return;
  replace(owner, name, function (this: unknown, ...values: unknown[]) {
    return counted(Promise.resolve(Reflect.apply(real, this, values)));
  });
}

for (const name of ["fetch", "createImageBitmap"]) count(window, name);
for (const name of ["arrayBuffer", "blob", "json", "text"]) count(Response.prototype, name);
count(FontFace.prototype, "load");
count(HTMLImageElement.prototype, "decode");
const realSend = XMLHttpRequest.prototype.send;
replace(XMLHttpRequest.prototype, "send", function (this: XMLHttpRequest, body: null) {
  void counted(new Promise((resolve) => this.addEventListener("loadend", resolve, { once: true })));
  realSend.call(this, body);
});

function isWaiting(): boolean {
  return waiting > 0 || [...document.images].some(({ complete }) => !complete);
}

/** Resolves once the scripts' requests have ended, so that no frame depends on their duration. */
async function quiet(): Promise<void> {
  for (; looksLeft > 0 && isWaiting(); looksLeft -= 1)
    await new Promise((resolve) => realTimeout(resolve, 1));
}

let faults = 0;
window.addEventListener("error", ({ error }) => {
  if (error !== undefined && error !== null) faults += 1;
});

replace(window, "__kliegClock", {
  advance,
  quiet,
  /** Whether a script has thrown. */
  hasFaults: () => faults > 0,
  /** Whether scripts count frames or time by themselves, so that none may be left out. */
  isCounting: () => painters.size > 0 || timers.size > 0,
  soon: (call: () => void, delayMs: number) => void realTimeout(call, delayMs),
});
