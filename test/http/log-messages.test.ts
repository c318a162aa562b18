/** Checks the operator's table of log messages against the phrases in the sources. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";

const root = join(import.meta.dirname, "../../..");
const folders = ["actors", "effects", "engine", "http", "render-farm"];

/** Phrases of the log in a source: texts of more than one word in a call of a logger. */
function findPhrases(text: string): readonly string[] {
  const calls = text.matchAll(/\b(?:log|notes)\.(?:info|warn|error|fatal)\(([\s\S]*?)\)(?:;|,\n)/g);
  return [...calls].flatMap(([, words = ""]) =>
    [...words.matchAll(/"([^"\n]+ [^"\n]+)"/g)].map(([, phrase = ""]) => phrase),
  );
}

t.test("every phrase of the log is in the operator's table", async (t) => {
  const table = readFileSync(join(root, "docs/operator.md"), "utf8").split("## Log messages")[1];
  const phrases = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .flatMap((path) => findPhrases(readFileSync(join(root, folder, path), "utf8"))),
  );
  t.ok(phrases.length > 30, `${phrases.length} are found`);
  for (const phrase of phrases) t.ok(table?.includes(`\`${phrase}`), phrase);
});
