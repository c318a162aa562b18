/** The build checks what may be sent to an actor, and what may come back. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import ts from "typescript";

/** Tests run compiled, in `dist`. */
const root = join(import.meta.dirname, "../..");
const folder = join(root, "http");

const imports = `import { jobKey } from "../actors/protocol/job.ts";
import type { Gateway } from "../engine/gateway.ts";
import { expectReply } from "./problems/replies.ts";
declare const gateway: Gateway;
declare const id: string;
`;

/** Sources by file name: the first is right, so that each error of the others is its own. */
const sources: Readonly<Record<string, string>> = {
  "right.ts": `${imports}
const reply = await gateway.ask(jobKey(id), { kind: "cancel", user: id }, "settle");
export const body: string = expectReply(reply, "canceled").body;
`,
  "misspelt-kind.ts": `${imports}
const reply = await gateway.ask(jobKey(id), { kind: "cancle", user: id }, "settle");
expectReply(reply, "canceled");
`,
  "missing-field.ts": `${imports}
const reply = await gateway.ask(jobKey(id), { kind: "cancel" }, "settle");
expectReply(reply, "canceled");
`,
  "unhandled-reply.ts": `import { compositionKey, type ReplaceFiles } from "../actors/protocol/composition.ts";
${imports}
declare const replace: ReplaceFiles;
const reply = await gateway.ask(compositionKey(id, id), replace, "work");
expectReply(reply, "done");
export const address = jobKey(id);
`,
};

const errors = collectErrors(sources);

function collectErrors(texts: typeof sources): Map<string, string[]> {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), (path) =>
    readFileSync(path, "utf8"),
  );
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const checked = { ...options, noEmit: true, incremental: false };
  const paths = new Map(Object.entries(texts).map(([name, text]) => [join(folder, name), text]));
  const host = ts.createCompilerHost(checked);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => paths.has(path) || fileExists(path);
  host.readFile = (path) => paths.get(path) ?? readFile(path);
  host.getSourceFile = (path, target, ...rest) => {
    const text = paths.get(path);
    return text === undefined
      ? getSourceFile(path, target, ...rest)
      : ts.createSourceFile(path, text, target);
  };
  const program = ts.createProgram([...paths.keys()], checked, host);
  return new Map(
    [...paths.keys()].map((path) => {
      const found = program.getSemanticDiagnostics(program.getSourceFile(path));
      const told = found.map(({ messageText }) =>
        ts.flattenDiagnosticMessageText(messageText, "\n"),
      );
      return [path.slice(folder.length + 1), told];
    }),
  );
}

t.test("a message that its actor handles, with all its fields, compiles", async (t) => {
  t.strictSame(errors.get("right.ts"), []);
});

t.test("a misspelt message kind is a compile error", async (t) => {
  t.match(errors.get("misspelt-kind.ts"), [/"cancle"/]);
});

t.test("a missing field of a message is a compile error", async (t) => {
  t.match(errors.get("missing-field.ts"), [/'user' is missing/]);
});

t.test("a reply that is not handled is a compile error", async (t) => {
  t.match(errors.get("unhandled-reply.ts"), [/unhandled: "moved"/]);
});
