/** Writes THIRD-PARTY.md, which names the work that is delivered with Klieg, and its licences. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type DeliveredPackage, type LockFile, listDelivered } from "./packages.ts";

export const noticesFile = "THIRD-PARTY.md";

const texts = "config/notices/texts";

/** Licences that packages name without including their text. */
const ownTexts: readonly (readonly [string, string])[] = [
  ["Libraries bundled with the builds of libvips", "libvips.txt"],
  ["GNU Lesser General Public License, version 3 (libvips)", "LGPL-3.0.txt"],
  ["GNU General Public License, version 3 (referenced by the license above)", "GPL-3.0.txt"],
  ["MIT License (for packages that declare it without including its text)", "MIT.txt"],
];

/** Reads the licences below `root`, where the packages are installed. */
export function writeNotices(root: string): string {
  const lock: LockFile = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const delivered = listDelivered(lock);
  const opening = readText(join(root, texts, "opening.md"));
  return [opening, "## Packages", writeTable(delivered), "## Texts", writeTexts(root, delivered)]
    .join("\n\n")
    .concat("\n");
}

function writeTable(delivered: readonly DeliveredPackage[]): string {
  const rows = delivered.map(
    ({ name, version, license, isForPlatform }) =>
      `| ${name} | ${version} | ${license} |${isForPlatform ? " one platform |" : " |"}`,
  );
  return ["| Package | Version | Licence | |", "|---|---|---|---|", ...rows].join("\n");
}

/** Writes equal texts once, under the names of all packages that have them. */
function writeTexts(root: string, delivered: readonly DeliveredPackage[]): string {
  const owners = new Map<string, string[]>();
  for (const { name, version, path, isForPlatform } of delivered)
    for (const text of isForPlatform ? [] : readTexts(join(root, path)))
      owners.set(text, [...(owners.get(text) ?? []), `${name} ${version}`]);
  const own = ownTexts.map(([title, file]): [string, string] => [
    title,
    readText(join(root, texts, file)),
  ]);
  const found = [...owners].map(([text, names]): [string, string] => [names.join(", "), text]);
  return [...found, ...own]
    .map(([title, text]) => `### ${title}\n\n\`\`\`\`text\n${text}\n\`\`\`\``)
    .join("\n\n");
}

function readTexts(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => /^(licen[cs]e|notice|copying|copyright|thirdparty)/i.test(name))
    .filter((name) => /^[^.]*(\.(md|txt|mit|bsd))?$/i.test(name))
    .sort()
    .map((name) => readText(join(folder, name)));
}

function readText(file: string): string {
  const lines = readFileSync(file, "utf8").split(/\r?\n/);
  return lines
    .map((line) => line.trimEnd())
    .join("\n")
    .trim();
}
