import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { commands } from "../../cli/command-line.ts";
import { assetTools } from "../../cli/mcp/asset-tools.ts";
import { compositionTools } from "../../cli/mcp/composition-tools.ts";
import { folderTools } from "../../cli/mcp/folder-tools.ts";
import { generationTools } from "../../cli/mcp/generation-tools.ts";
import { setTools } from "../../cli/mcp/set-tools.ts";
import { readSettings, settingNames } from "../../config/settings.ts";
import { guides } from "../../http/docs/guides.ts";
import { problemTypes } from "../../http/problems/problem-types.ts";
import { routeTable } from "../../http/route-table.ts";
import { claims, figures } from "./page-numbers.ts";

const root = join(import.meta.dirname, "../../..");
const files = [
  "README.md",
  ...guides.map(({ slug }) => `docs/${slug}.md`),
  "clients/typescript/README.md",
  "clients/python/README.md",
];
const tools = [
  ...[...generationTools, ...setTools, ...assetTools],
  ...[...compositionTools, ...folderTools],
];

/** Prose of each page, without samples and the table of settings, whose defaults have a test. */
const pages: Readonly<Record<string, string>> = {
  ...Object.fromEntries(files.map((path) => [path, readProse(path)])),
  "klieg help": commands
    .flatMap(({ name, usage, summary, options }) => [name, usage, summary, ...options])
    .join(" | "),
  "klieg mcp": tools
    .map(({ title, description, takes }) => `${title} ${description} ${descriptions(takes)}`)
    .join(" | "),
  "/docs/problems": problemTypes.map(({ meaning, remedy }) => `${meaning} ${remedy}`).join(" | "),
  "/v1/openapi.json": routeTable.map(({ summary }) => summary).join(" | "),
};

function readProse(path: string): string {
  return readFileSync(join(root, path), "utf8")
    .replaceAll(/^```[\s\S]*?^```$/gm, "")
    .replaceAll(/^\| `KLIEG_.*$/gm, "")
    .replaceAll(/`[^`\n]*`/g, "``")
    .replaceAll(/^\d+\. /gm, "")
    .replaceAll(/\s+/g, " ");
}

function descriptions(schema: object): string {
  const found: string[] = [];
  JSON.stringify(schema, (name, value) => {
    if (name === "description") found.push(value);
    return value;
  });
  return found.join(" ");
}

/** Matches numbers that stand by themselves, and times and sizes in words. */
const number = /(?<![\w.:#/<-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w:]|\.\d|-\w)/g;
const counted =
  "an?|half an?|two|three|four|five|six|ten|eleven|twelve|fifteen|twenty|thirty|forty|sixty";
const span = new RegExp(`\\b(?:${counted}) (?:second|minute|hour|day|week|month|year)s?\\b`, "gi");

/** Whether a number is a status of an answer in the contract or of the listener's parser. */
const isStatus = (text: string): boolean => /^[2-5]\d\d$/.test(text);

const texts = [...claims, ...Object.values(figures).flat()];

t.test("E11: every number of a page comes from the contract, or has a reason", async (t) => {
  for (const [page, text] of Object.entries(pages)) {
    const covered = texts.flatMap((claim) =>
      occurrences(text, claim).map((from) => [from, from + claim.length] as const),
    );
    for (const { 0: found, index } of [...text.matchAll(number), ...text.matchAll(span)]) {
      if (isStatus(found)) continue;
      const isCovered = covered.some(([from, to]) => from <= index && index + found.length <= to);
      const around = text.slice(Math.max(0, index - 40), index + found.length + 30);
      t.ok(isCovered, `${page}: ${around}`);
    }
  }
});

t.test("E11: every claim and every figure with a reason stands on a page", async (t) => {
  const all = Object.values(pages).join(" | ");
  t.strictSame(
    texts.filter((claim) => !all.includes(claim)),
    [],
  );
});

/** Settings whose default is one value, and their names in the program. */
const settings = {
  KLIEG_FIGMA_URL: "figmaUrl",
  KLIEG_FARM_WORKERS: "farmWorkers",
  KLIEG_CONNECTIONS_PER_ADDRESS: "connectionsPerAddress",
  KLIEG_ISOLATION: "isolation",
  KLIEG_LOG_LEVEL: "logLevel",
} as const;

t.test("E11: the table of settings names each with its default", async (t) => {
  const text = readFileSync(join(root, "docs/settings.md"), "utf8");
  const rows = new Map<string, string>();
  for (const [, names = "", initial = ""] of text.matchAll(/^\| (`KLIEG_.*?) \|.*\| (.*?) \|$/gm))
    for (const [, name = ""] of names.matchAll(/`(KLIEG_\w+)`/g)) rows.set(name, initial.trim());
  const read = readSettings({}, 2);
  for (const [name, key] of Object.entries(settings)) t.equal(rows.get(name), `\`${read[key]}\``);
  t.equal(rows.get("KLIEG_PORT"), `\`${read.host}\`, \`${read.port}\``);
  t.equal(rows.get("KLIEG_OPERATOR_PORT"), `\`KLIEG_PORT\` + ${read.operatorPort - read.port}`);
  t.equal(rows.get("KLIEG_RATE_LIMITS"), read.rateLimits ? "`on`" : "`off`");
  const own = [...settingNames].filter((name) => name.startsWith("KLIEG_"));
  t.strictSame([...rows.keys()].sort(), own.sort());
});

function occurrences(text: string, part: string): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) found.push(at);
  return found;
}
