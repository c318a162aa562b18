/**
 * A closed loop: each connection sends its next request when it has the answer to the last one. So
 * a slow service is asked less, and latencies are those of clients that wait, not of requests that
 * come at their own times: for those see open-loop.ts.
 *
 * Drives HTTP load with wrk. The requests are written out whole before the clock starts: wrk's Lua
 * glues a number in where they must differ, and no more.
 *
 * 1. Loopback or the named service only, for a fixed time.
 * 2. Refusals are wrk's own sum of answers other than 2xx, because a look at each answer costs as
 *    much as sending it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { percentiles } from "../report/latencies.ts";

export interface Load {
  readonly seconds: number;
  readonly connections: number;
  readonly threads: number;
  readonly requests: Requests;
}

/**
 * `numbered`: each is sent over and over in turn with a running number between its two parts.
 * `followed`: the same, and each answer's job is then asked for by a request of its owner, whose
 * two parts enclose the job's id; `owners` are the accounts' ids, in the order of the parts.
 */
export type Requests =
  | { readonly kind: "numbered"; readonly parts: readonly TextPair[] }
  | { readonly kind: "random"; readonly texts: readonly string[] }
  | {
      readonly kind: "followed";
      readonly parts: readonly TextPair[];
      readonly owners: readonly string[];
      readonly follows: readonly TextPair[];
    };

export type TextPair = readonly [string, string];

/** Number of digits of a request's running number, fixed so that lengths do not vary. */
export const numberDigits = 9;

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  /** Latencies at each of `percentiles`, in milliseconds. */
  readonly latencies: readonly number[];
  /** Number of requests sent in each second. */
  readonly perSecond: readonly number[];
  /** Number of answers with a status other than 2xx and 3xx. */
  readonly refused: number;
  /** Number of connections, reads and writes that failed, and of answers that never came. */
  readonly broken: number;
}

export async function drive(origin: string, load: Load): Promise<LoadResult> {
  const folder = await mkdtemp(join(tmpdir(), "klieg-load-"));
  try {
    const script = join(folder, "load.lua");
    await writeFile(script, writeLua(load, folder));
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
 * Writes the texts to files, separated by NUL, because a Lua chunk holds no more than 65,536
 * constants.
 */
async function writeRequests(folder: string, requests: Requests): Promise<void> {
  if (requests.kind === "random") return writeTexts(join(folder, "texts"), requests.texts);
  await writePairs(folder, "heads", "tails", requests.parts);
  if (requests.kind === "numbered") return;
  await writeTexts(join(folder, "owners"), requests.owners);
  await writePairs(folder, "fronts", "backs", requests.follows);
}

async function writePairs(
  folder: string,
  first: string,
  second: string,
  pairs: readonly TextPair[],
): Promise<void> {
  await writeTexts(
    join(folder, first),
    pairs.map(([text]) => text),
  );
  await writeTexts(
    join(folder, second),
    pairs.map(([, text]) => text),
  );
}

function writeTexts(path: string, texts: readonly string[]): Promise<void> {
  return writeFile(path, texts.join("\0"));
}

function writeLua({ threads, requests }: Load, folder: string): string {
  return [
    `local threads, folder = ${threads}, ${JSON.stringify(folder)}`,
    luaThreads,
    luaRequests[requests.kind],
    luaDone,
  ].join("\n");
}

const luaNumbered = `
local heads, tails, at, number, format
function init()
  start_clock()
  heads, tails, format = read("heads"), read("tails"), string.format
  at = math.floor(#heads * index / threads)
  number = index * 100000000
end
function request()
  tick()
  at = at % #heads + 1
  number = number + 1
  return heads[at] .. format("%0${numberDigits}d", number) .. tails[at]
end`;

/** In a numbered run each thread walks the list from its own start, with its own numbers. */
const luaRequests = {
  numbered: luaNumbered,
  // wrk passes on an answer before it asks for the connection's next request.
  followed: `
${luaNumbered}
local places, fronts, backs, follows, first, last = {}, nil, nil, {}, 1, 0
local prepare, submit = init, request
function init()
  prepare()
  fronts, backs = read("fronts"), read("backs")
  for place, owner in ipairs(read("owners")) do places[owner] = place end
end
function response(status, _, body)
  if status ~= 202 then return end
  local id = body:match('"id":"([^"]+)"')
  local place = places[body:match('"user_id":"([^"]+)"')]
  last = last + 1
  follows[last] = fronts[place] .. id .. backs[place]
end
function request()
  if first <= last then tick() end
  if first > last then return submit() end
  local text = follows[first]
  follows[first] = nil
  first = first + 1
  return text
end`,
  random: `
local texts, random
function init()
  start_clock()
  texts, random = read("texts"), math.random
  math.randomseed(index + 1)
end
function request()
  tick()
  return texts[random(#texts)]
end`,
};

/** Reading the clock every few requests is accurate enough for counts per second. */
const luaThreads = `
local ffi = require("ffi")
ffi.cdef("typedef struct { long s, us; } klieg_time; int gettimeofday(klieg_time *, void *);")
local now, sent, second, began = ffi.new("klieg_time"), 0, 1, 0
seconds = {}
function start_clock()
  ffi.C.gettimeofday(now, nil)
  began = tonumber(now.s) + tonumber(now.us) / 1e6
end
function tick()
  sent = sent + 1
  if sent < 16 then return end
  ffi.C.gettimeofday(now, nil)
  second = math.floor(tonumber(now.s) + tonumber(now.us) / 1e6 - began) + 1
  seconds[second] = (seconds[second] or 0) + sent
  sent = 0
end
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

const luaDone = `
function done(summary, latency)
  local counts = {}
  for _, thread in ipairs(all) do
    for second, count in pairs(thread:get("seconds")) do
      counts[second] = (counts[second] or 0) + count
    end
  end
  local throughput, latencies = {}, {}
  for second = 1, math.floor(summary.duration / 1e6) do
    throughput[second] = string.format("%d", counts[second] or 0)
  end
  for at, percent in ipairs({${percentiles.join(", ")}}) do
    latencies[at] = string.format("%.4f", latency:percentile(percent) / 1e3)
  end
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"seconds":%.6f,"latencies":[%s],"perSecond":[%s],"refused":%d,"broken":%d}\\n',
    summary.requests, summary.duration / 1e6,
    table.concat(latencies, ","), table.concat(throughput, ","),
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end`;
