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

function luaOf({ threads, requests, countStatuses }: Load, folder: string): string {
  return [
    `local threads, folder = ${threads}, ${JSON.stringify(folder)}`,
    luaThreads,
    luaRequests[requests.kind],
    countStatuses ? luaStatuses : "",
    luaDone,
  ].join("\n");
}

const luaNumbered = `
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
end`;

/** In a numbered run each thread walks the list from its own start, with its own numbers. */
const luaRequests = {
  numbered: luaNumbered,
  // wrk hands an answer over before it asks for the connection's next request.
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
  if first > last then return submit() end
  local text = follows[first]
  follows[first] = nil
  first = first + 1
  return text
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
