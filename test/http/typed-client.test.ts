import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";
import t from "tap";
import ts from "typescript";
import { hear } from "./heard.ts";

/** A program that a third party writes against the published document. */
const source = `
import createClient from "openapi-fetch";
import type { components, paths } from "./contract.js";

type Job = components["schemas"]["Job"];

export async function generate(baseUrl: string, token: string, meanwhile: () => Promise<void>) {
  const headers = { Authorization: \`Bearer \${token}\` };
  const client = createClient<paths>({ baseUrl, headers });
  const submitted = await client.POST("/generate/image", {
    body: { model: "sim-instant", prompt: "a kite" },
    headers: { "Idempotency-Key": "kite-1" },
  });
  if (submitted.error !== undefined) throw new Error(submitted.error.title);
  const accepted: Job = submitted.data;
  await meanwhile();
  const waited = await client.GET("/jobs/{id}/wait", {
    params: { path: { id: accepted.id }, query: { timeout_seconds: 5 } },
  });
  if (waited.error !== undefined) throw new Error(waited.error.detail);
  const made = waited.data.asset;
  if (made === undefined) throw new Error("no asset");
  const read = await client.GET("/assets/{id}", { params: { path: { id: made.id } } });
  const absent = await client.GET("/jobs/{id}", { params: { path: { id: "nothing" } } });
  return {
    status: waited.data.status,
    mimeType: read.data?.mime_type,
    absent: absent.error && { status: absent.response.status, title: absent.error.title },
  };
}
`;

const strict: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
  types: [],
};

function compile(file: string): readonly string[] {
  const program = ts.createProgram([file], strict);
  const { diagnostics } = program.emit();
  return [...ts.getPreEmitDiagnostics(program), ...diagnostics].map(({ messageText }) =>
    ts.flattenDiagnosticMessageText(messageText, "\n"),
  );
}

interface Client {
  readonly generate: (
    baseUrl: string,
    token: string,
    meanwhile: () => Promise<void>,
  ) => Promise<object>;
}

t.test("a client of openapi-typescript and openapi-fetch compiles and runs (D5)", async (t) => {
  const { house, port } = await hear(t);
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const document = await (await fetch(`${baseUrl}/openapi.json`)).text();
  // The folder is below the sources, so that the client's packages are found.
  const folder = mkdtempSync(join(import.meta.dirname, "typed-client-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "contract.ts"), astToString(await openapiTS(document)));
  writeFileSync(join(folder, "client.ts"), source);
  t.strictSame(compile(join(folder, "client.ts")), []);
  const client: Client = await import(pathToFileURL(join(folder, "client.js")).href);
  const ada = await house.account();
  const result = await client.generate(baseUrl, ada.token ?? "", () => house.settle());
  t.strictSame(result, {
    status: "succeeded",
    mimeType: "image/png",
    absent: { status: 404, title: "Not Found" },
  });
});
