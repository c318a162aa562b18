/**
 * Tests the client in Go as customers require it. Go compiles its own library first, which takes
 * a processor most of a minute.
 */
import { execFile } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { clientSamples } from "../../http/docs/api/client-samples.ts";
import { guides } from "../../http/docs/guides.ts";
import { emptyFolder, play } from "../clients/scenario.ts";
import { findGo, goEnvironment } from "./go-program.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");
const pages = ["README.md", ...guides.map(({ slug }) => `docs/${slug}.md`), "clients/go/README.md"];
const block = /```go\n([\s\S]*?)```/g;
/** The reference's samples, each as a function of its own. */
const referenceSamples = Object.values(clientSamples).filter((sample) => sample !== undefined);

t.test("the Go module as it is required by a program", async (t) => {
  const project = emptyFolder(t);
  cpSync(join(root, "clients/go"), join(project, "klieg"), { recursive: true });
  cpSync(join(root, "test/clients/consumer.go"), join(project, "consumer.go"));
  const lines = ["module consumer", "go 1.19", "require klieg v0.0.0", "replace klieg => ./klieg"];
  writeFileSync(join(project, "go.mod"), `${lines.join("\n\n")}\n`);
  const options = { cwd: project, env: goEnvironment };
  const { go } = findGo();
  await run(go, ["vet", "."], options);
  await run(go, ["build", "-o", "consumer", "."], options);
  await play(t, join(project, "consumer"), [], project);
});

t.test("the Go module holds its own tests, and is written as gofmt writes", async (t) => {
  const options = { cwd: join(root, "clients/go"), env: goEnvironment };
  const { go, gofmt } = findGo();
  t.equal((await run(gofmt, ["-l", "."], options)).stdout, "");
  await t.resolves(run(go, ["vet", "./..."], options));
  await t.resolves(run(go, ["test", "./..."], options));
});

t.test("E3: every sample in Go compiles against the module (go vet)", async (t) => {
  const samples = pages.flatMap((page) =>
    [...readFileSync(join(root, page), "utf8").matchAll(block)].map(([, text = ""]) => text),
  );
  t.ok(samples.length >= 1, "there are some");
  const reference = referenceSamples.map(({ go }, at) => {
    const results = [...go.matchAll(/^(\w+(?:, \w+)*) :=/gm)].map(([, names]) => names);
    const text = go.replaceAll("\n", "\n\t");
    return `func sample${at}() {\n\t${text}\n\tfmt.Println(${results.join(", ")})\n}\n`;
  });
  const head = [
    "package main",
    'import ("context"; "fmt"; "klieg")',
    'var client = klieg.NewClient("http://127.0.0.1:8080")',
    "var ctx = context.Background()",
    "var content []byte",
  ];
  const module = "module sample\n\ngo 1.19\n\nrequire klieg v0.0.0\n\nreplace klieg => ./klieg\n";
  for (const text of [...samples, `${[...head, ...reference].join("\n")}\nfunc main() {}\n`]) {
    const folder = t.testdir({ "go.mod": module, "main.go": text });
    symlinkSync(join(root, "clients/go"), join(folder, "klieg"));
    const options = { cwd: folder, env: goEnvironment };
    const { stderr } = await run(findGo().go, ["vet", "."], options).catch((fault) => fault);
    t.equal(stderr, "");
  }
});
