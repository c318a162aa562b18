/**
 * Drives HTTP load with wrk. The requests are written out whole before the clock starts: wrk's Lua
 * glues a number in where they must differ, and no more.
 *
 * 1. Loopback or the named service only, for a fixed time.
 * 2. Only a counting run looks at every status; a measured run relies on wrk's own sum of answers
 *    other than 2xx, because a look at each answer costs as much as sending it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

export interface Load {
  readonly seconds: number;
  readonly connections: number;
  readonly threads: number;
  readonly requests: Requests;
  readonly countStatuses: boolean;
}

/** `numbered`: each is sent over and over in turn with a running number between its two parts. */
export type Requests =
  | { readonly kind: "numbered"; readonly parts: readonly (readonly [string, string])[] }
  | { readonly kind: "random"; readonly texts: readonly string[] };

/** Digits of the running number, so that lengths are fixed. */
export const numberDigits = 9;

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers other than 2xx and 3xx. */
  readonly refused: number;
  /** Connections, reads and writes that failed, and answers that never came. */
  readonly broken: number;
  /** Filled by a counting run. */
  readonly statuses: Readonly<Record<string, number>>;
}

export async function drive(origin: string, load: Load): Promise<LoadResult> {
  const folder = await mkdtemp(join(tmpdir(), "klieg-load-"));
  try {
    const script = join(folder, "load.lua");
    await writeFile(script, luaOf(load, folder));
    await writeRequests(folder, load.requests);
    const { seconds, connections, threads } = load;
    const sizes = [`-t${threads}`, `-c${connections}`, `-d${seconds}s`, "--timeout", "10s"];
    const child = spawn("wrk", [...sizes, "-s", script, origin], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [output] = await Promise.all([text(child.stdout), once(child, "exit")]);
    const line = output.split("\n").find((candidate) => candidate.startsWith("{"));
    if (line === undefined) throw new Error(`wrk gave no result: ${output}`);
    return JSON.parse(line) as LoadResult;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Files of texts with NUL between them, because a Lua chunk holds no more than 65,536 constants.
 */
async function writeRequests(folder: string, requests: Requests): Promise<void> {
  if (requests.kind === "random") return writeTexts(join(folder, "texts"), requests.texts);
  const { parts } = requests;
  const [heads, tails] = [parts.map(([head]) => head), parts.map(([, tail]) => tail)];
  await writeTexts(join(folder, "heads"), heads);
  await writeTexts(join(folder, "tails"), tails);
}

function writeTexts(path: string, texts: readonly string[]): Promise<void> {
  return writeFile(path, texts.join("\0"));
}

function luaOf({ threads, requests, countStatuses }: Load, folder: string): string {
  return [
    `local threads, folder = ${threads}, ${JSON.stringify(folder)}`,
    luaThreads,
    luaRequests[requests.kind],
    countStatuses ? luaStatuses : "",
    luaDone,
  ].join("\n");
}

/** In a numbered run each thread walks the list from its own start, with its own numbers. */
const luaRequests = {
  numbered: `
local heads, tails, at, number, format
function init()
  heads, tails, format = read("heads"), read("tails"), string.format
  at = math.floor(#heads * index / threads)
  number = index * 100000000
end
function request()
  at = at % #heads + 1
  number = number + 1
  return heads[at] .. format("%0${numberDigits}d", number) .. tails[at]
end`,
  random: `
local texts, random
function init()
  texts, random = read("texts"), math.random
  math.randomseed(index + 1)
end
function request() return texts[random(#texts)] end`,
};

const luaThreads = `
function read(name)
  local texts, file = {}, assert(io.open(folder .. "/" .. name, "rb"))
  for text in file:read("*a"):gmatch("[^%z]+") do texts[#texts + 1] = text end
  file:close()
  return texts
end
local all = {}
function setup(thread)
  thread:set("index", #all)
  all[#all + 1] = thread
end`;

const luaStatuses = `
statuses = {}
function response(status) statuses[status] = (statuses[status] or 0) + 1 end`;

const luaDone = `
function done(summary, latency)
  local sums = {}
  for _, thread in ipairs(all) do
    for status, count in pairs(thread:get("statuses") or {}) do
      sums[status] = (sums[status] or 0) + count
    end
  end
  local listed = {}
  for status, count in pairs(sums) do
    listed[#listed + 1] = string.format('"%s":%d', status, count)
  end
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"seconds":%.6f,"p50Ms":%.4f,"p99Ms":%.4f,"refused":%d,"broken":%d,"statuses":{%s}}\\n',
    summary.requests, summary.duration / 1e6,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout,
    table.concat(listed, ",")))
end`;
