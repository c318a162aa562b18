/**
 * A stock generator of clients (OpenAPI Generator, from Maven Central) reads the OpenAPI document
 * and writes clients in Java and C#, which compile. Left out where Maven Central or a compiler
 * cannot be had. C# is compiled by Mono, with Json.NET from the npm registry: NuGet is not needed.
 */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { startKlieg } from "../crash/klieg-process.ts";

const run = promisify(execFile);
const version = "7.25.0";
const generator = `https://repo1.maven.org/maven2/org/openapitools/openapi-generator-cli/${version}/openapi-generator-cli-${version}.jar`;
const jsonNet = "jillejr.newtonsoft.json-for-unity@12.0.101";
const jsonNetFile = "package/Plugins/Newtonsoft.Json Editor/Newtonsoft.Json.dll";
/** Assemblies of the .NET Framework that the generated client refers to. */
const assemblies = [
  "System.Net.Http",
  "System.ComponentModel.DataAnnotations",
  "System.Runtime.Serialization",
  "System.Web",
];
const quietly = { maxBuffer: 64 * 1024 ** 2 };

interface Tools {
  readonly jar: string;
  readonly document: string;
  readonly folder: string;
}

/** Returns the generator and the document; undefined where the generator cannot be had. */
async function prepare(t: Test): Promise<Tools | undefined> {
  const folder = t.testdir();
  const [jar, document] = [join(folder, "generator.jar"), join(folder, "openapi.json")];
  if (!(await has("java"))) return undefined;
  const bytes = await fetch(generator).then(
    (answer) => (answer.ok ? answer.arrayBuffer() : undefined),
    () => undefined,
  );
  if (bytes === undefined) return undefined;
  writeFileSync(jar, Buffer.from(bytes));
  const { port } = await startKlieg(t, join(folder, "data"));
  const answer = await fetch(`http://127.0.0.1:${port}/v1/openapi.json`);
  writeFileSync(document, await answer.text());
  return { jar, document, folder };
}

async function has(program: string): Promise<boolean> {
  return run("which", [program]).then(
    () => true,
    () => false,
  );
}

/** Writes a client; fails if the generator reports errors. Returns its folder. */
async function generate(t: Test, tools: Tools, language: string, more: readonly string[] = []) {
  const output = join(tools.folder, language);
  const args = ["-jar", tools.jar, "generate", "-i", tools.document, "-g", language, "-o", output];
  const { stdout, stderr } = await run("java", [...args, ...more], quietly);
  t.notMatch(stdout + stderr, /\] ERROR /);
  return output;
}

t.test("clients that a stock generator writes from the OpenAPI document compile", async (t) => {
  const tools = await prepare(t);
  if (tools === undefined) {
    t.pass("Maven Central or Java cannot be had");
    return;
  }
  await t.test("Java", async (t) => {
    // A setter of `id` and a builder of `set_id` would both be `setId`; the type of a body that may
    // be JSON or a form is named and not written, unless types of forms are asked for.
    const folder = await generate(t, tools, "java", [
      ...["--name-mappings", "set_id=outputSetId", "--global-property", "skipFormModel=false"],
    ]);
    const api = join(folder, "src/main/java/org/openapitools/client/api/CompositionsApi.java");
    t.match(readFileSync(api, "utf8"), /putCompositionsIdFile\([^)]*File body/, "bytes are sent");
    if (!(await has("mvn"))) return;
    await run("mvn", ["-q", "-B", "-DskipTests", "compile"], { ...quietly, cwd: folder });
  });
  await t.test("C#", async (t) => {
    // A namespace `Model` and the schema `Model` would have one name.
    const folder = await generate(t, tools, "csharp", [
      ...["--library", "httpclient", "--model-package", "Models"],
      "--additional-properties=targetFramework=netstandard2.0,supportsRetry=false",
    ]);
    if (!(await has("mcs"))) return;
    const cwd = join(folder, "src/Org.OpenAPITools");
    await run("npm", ["pack", jsonNet], { ...quietly, cwd });
    await run("sh", ["-c", "tar -xzf *.tgz"], { cwd });
    const references = [...assemblies, join(cwd, jsonNetFile)].map((name) => `-r:${name}`);
    await run("mcs", ["-target:library", "-langversion:latest", ...references, "-recurse:*.cs"], {
      ...quietly,
      cwd,
    });
  });
});
