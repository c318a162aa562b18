/**
 * Numbers on the documentation's pages. A claim is a piece of a page that is composed here from the
 * value of the contract, a setting or a limit; a figure of other origin has its reason.
 */
import { limits } from "../../config/limits.ts";
import { type PlanName, planNames, plans } from "../../config/plans.ts";
import { firstCredits } from "../../http/bootstrap.ts";
import { routeTable } from "../../http/route-table.ts";
import { firstUser, usersMax } from "../../render-farm/fence/own-folders.ts";

const { cluster, http, jobs, shares, tokens } = limits;
const [minuteMs, dayMs] = [60_000, 86_400_000];

const words = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");

function word(count: number): string {
  return count === 15 ? "fifteen" : (words[count] ?? String(count));
}

/** Writes a time in words: one minute is `a minute`, ten of them `ten minutes`. */
function span(ms: number, unitMs: number, unit: string): string {
  return ms === unitMs ? `a ${unit}` : `${word(ms / unitMs)} ${unit}s`;
}

interface Bounds {
  readonly minimum: number;
  readonly maximum: number;
}

/** Returns the schema of a member of a body, or of a query parameter. */
function member(method: string, path: string, name: string): object {
  const route = routeTable.find((one) => one.method === method && one.path === path);
  const body = route?.body?.schema as { readonly properties?: Readonly<Record<string, object>> };
  const schema = route?.query[name]?.schema ?? body?.properties?.[name];
  if (schema === undefined) throw new Error(`${method} ${path} has no ${name}.`);
  return schema;
}

function bounds(...at: Parameters<typeof member>): Bounds {
  const schema = member(...at);
  if ("minimum" in schema && "maximum" in schema) return schema as Bounds;
  throw new Error(`${at.join(" ")} has no bounds.`);
}

function choices(...at: Parameters<typeof member>): string {
  const { enum: values = [] } = member(...at) as { readonly enum?: readonly number[] };
  return `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;
}

function range(...at: Parameters<typeof bounds>): string {
  const { minimum, maximum } = bounds(...at);
  return `${minimum} to ${maximum}`;
}

/** Writes a plan's row of the table of plans, behind its name. */
function describePlan(name: PlanName): string {
  const { [name]: plan } = plans;
  const { monthlyCredits, concurrentMax, generationsPerDay, organizationsOwned } = plan;
  const gibibytes = (plan.storedBytes ?? 0) / 1024 ** 3;
  const storage = gibibytes < 1024 ? `${gibibytes} GiB` : `${gibibytes / 1024} TiB`;
  return `| ${[monthlyCredits, concurrentMax, generationsPerDay, storage, organizationsOwned].join(" | ")} |`;
}

const list = (path: string): string => `how many, ${range("GET", path, "limit")} (20)`;
const duplicateWindow = span(jobs.duplicateWindowMs, minuteMs, "minute");
const turn = ["POST", "/v1/agent/sessions/{id}/turns", "ttl_seconds"] as const;
const restore = ["POST", "/v1/restore/video"] as const;

/** Texts that must stand on a page, each composed from the value that it states. */
export const claims: readonly string[] = [
  // Claims of README.md and the guides.
  `a better prompt for ${limits.pricing.enhancePromptCredits} credit`,
  `it works once, for ${limits.oauth.signInLinkSeconds / 60} minutes.`,
  `each for ${span(limits.farm.urlSeconds * 1_000, minuteMs, "minute")},`,
  `lets what runs end within ${span(limits.farm.farewellMs, minuteMs, "minute")}`,
  `cannot be reached for ${span(limits.farm.leaseMs, 1_000, "second")}`,
  `away for more than ${span(cluster.standbyGoneMs, dayMs, "day")}`,
  `a log grew beyond ${cluster.logBytesMax / 1024 ** 3} GiB`,
  `a log keeps for ${span(cluster.logTrimMs, minuteMs, "minute")}`,
  `writes wait ${cluster.quorumMs / 1_000} s and are answered 503`,
  `is explained after ${span(cluster.waitSaidMs, 1_000, "second")} in the log`,
  `below ${http.diskFreeBytesMin / 1024 ** 3} GiB or ${http.diskFreeShareMin * 100} % free`,
  `stays for ${limits.capture.keptBrowserMs / 1_000} seconds for the next still`,
  `, at most ${jobs.waitSecondsMax} s; 408`,
  `A ticket opens one stream and lasts ${span(jobs.ticketMs, minuteMs, "minute")}`,
  `within ${duplicateWindow} are one job`,
  `${firstCredits.toLocaleString("en")} credits) is in`,
  `rewrites a prompt for ${limits.pricing.enhancePromptCredits} credit`,
  `end, at most ${jobs.waitSecondsMax} s later`,
  `stays for ${limits.assets.trashMs / dayMs} days`,
  ...planNames.filter((name) => name !== "enterprise").map(describePlan),
  `(${firstUser} to ${firstUser + usersMax - 1}, no accounts)`,
  `silent times above ${jobs.waitSecondsMax} seconds`,
  `Nothing for ${http.bodyIdleMs / 1_000} seconds, then 400`,
  `between ${http.headerBytesMax / 1024} and 32 KiB the service itself answers 431`,
  `of more than ${limits.media.pixelsMax / 1e6} megapixels`,
  // Claims about problems.
  `refused for ${jobs.moderationMemoryMs / 3_600_000} hours.`,
  `longer than ${http.urlBytesMax / 1024} KiB.`,
  `larger than ${http.headerBytesMax / 1024} KiB together.`,
  `accepted less than ${duplicateWindow} ago`,
  // Claims of the agents' tools.
  `with the same key within ${duplicateWindow}, it is refused`,
  // Claims of the command line.
  `costs ${limits.pricing.enhancePromptCredits} credit.`,
  `the credential is valid (${limits.agents.ttlSecondsDefault})`,
  `how long it may work, ${range(...turn)} (${bounds(...turn).maximum})`,
  ...["/v1/jobs", "/v1/assets", "/v1/compositions"].map(list),
  `until it expires, 1 to ${shares.expiresInDaysMax} (never)`,
  `that they must give, ${shares.passwordMin} to ${shares.passwordMax} characters`,
  `1 to ${tokens.expiresInDaysMax}, or never (${tokens.expiresInDaysDefault})`,
  range("POST", "/v1/generate/audio", "speed"),
  `VALUE               ${choices(...restore, "scale")}`,
  ...["target_fps", "denoise", "sharpen"].map((name) => range(...restore, name)),
];

/** Figures that no value of the contract gives, grouped by the reason. */
export const figures: Readonly<Record<string, readonly string[]>> = {
  "versions and names of others": [
    ...["Node 22 and git", "Node 20 (20.15 or later)", "Node 22;", "Node 20.15 or later"],
    ...["OpenAPI 3.1", "for Python 3.11", "NATS below 2.10 syncs its disk once a minute"],
    ...[
      "without WebGL 2",
      "Stable Diffusion 1.5",
      "Wan 2.2",
      "Kling 2.1",
      "GPT Image 1, speech, Sora 2",
      "listens on port 8188",
      "listens on port 8080 as Klieg",
    ],
  ],
  "seconds that are no times": ["From a second terminal", "a second request in"],
  "recorded in bench/RESULTS.md, 2026-11-29": [
    ...["takes 92.3 µs", "takes 11.9 µs", "A film of 10 s in 1080p takes 14.35 s"],
  ],
  "measured, and said to be about so much": [
    ...["some six seconds", "takes half a second", "some 1.3 GB", "some 130 MB each"],
    ...["some fifteen minutes", "some forty minutes", "within 3 of 255"],
  ],
  "the tests' and the bench's own": [
    "takes writes again within 15 s",
    ...["a film of ten minutes in flat memory", "100,000 jobs that join", "300,000 requests"],
    "In about ten minutes",
  ],
  "tested where it is: test/config/settings.test.ts": ["a power of two, up to 128)"],
  "the rule of the bucket, in whole days": ["remove after a day what is temporary"],
  "the exit code of sysexits.h for an error of the program": ["exit code 70"],
  "the format's own": ["its frames; 30 a second", "frames a second", "with Shift by a second"],
  "what is counted by the minute": ["classes of requests a minute"],
  "what the prompt beside it says": ["runs for half a second", "provider for half a second"],
  "the listener's parser's": [
    ...["some 100 headers, or over 32 KiB", "some ten seconds, then closed"],
    ...["service does (ten seconds)", "for less than ten seconds"],
  ],
  "what a message of the protocol holds": ["base64 of at most 8 MiB"],
};
