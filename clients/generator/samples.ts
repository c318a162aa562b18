/**
 * Samples of code for the reference of the API: each operation as a call of each client, with the
 * published examples as values.
 */
import { ApiDocument, type Operation } from "../../http/docs/api/api-document.ts";
import type { Contract, Method } from "./contract.ts";
import { listOperations, publishedAs } from "./contract.ts";
import { exportName } from "./go.ts";
import { type Types, writeGoCall } from "./go-samples.ts";
import type { Call } from "./sample-call.ts";
import type { Members } from "./shape.ts";

interface Sample {
  readonly typescript: string;
  readonly python: string;
  readonly go: string;
}

/** Returns the JSON that the reference reads its samples from. */
export function samplesFile(contract: Contract, document: Members): string {
  const operations = new ApiDocument(document).tags.flatMap(({ operations }) => operations);
  const byKey = new Map(operations.map((operation) => [getKey(operation), operation]));
  const samples = new Map<string, Sample>();
  const types = new Map(contract.types.map(({ name, shape }) => [name, shape]));
  for (const { name, methods } of contract.resources)
    for (const method of methods)
      for (const row of listOperations(`${method.verb} ${method.path}`)) {
        const [verb = "", path = ""] = row.split(" ");
        const operation = byKey.get(`${verb} ${publishedAs[path] ?? path}`);
        if (operation === undefined) throw new Error(`${row} is not published.`);
        samples.set(getKey(operation), writeSample(readCall(name, method, operation, path), types));
      }
  for (const [key, write] of Object.entries(byHand))
    samples.set(key, write(String(byKey.get(key)?.parameters[0]?.example)));
  const rows = [...samples].sort(([one], [other]) => (one < other ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(rows), undefined, 2)}\n`;
}

/** Operations that the clients offer by methods that are not generated. */
const byHand: Readonly<Record<string, (id: string) => Sample>> = {
  "GET /jobs/{id}/wait": (id) => ({
    typescript: `const job = await klieg.jobs.wait("${id}");`,
    python: `job = klieg.jobs.wait("${id}")`,
    go: `job, err := client.Jobs.Wait(ctx, "${id}")`,
  }),
  "GET /jobs/{id}/sse": (id) => writeStream("jobs", id),
  "GET /renders/{id}/sse": (id) => writeStream("renders", id),
  "GET /agent/sessions/{id}/events": (id) => writeStream("agents", id),
  "POST /assets": () => ({
    typescript:
      'const asset = await klieg.assets.upload(await openAsBlob("harbor.png"), { filename: "harbor.png" });',
    python: 'asset = klieg.assets.upload("harbor.png")',
    go: [
      'picture := klieg.BytesFile("harbor.png", content)',
      "asset, err := client.Assets.Upload(ctx, picture, klieg.UploadOptions{})",
    ].join("\n"),
  }),
};

function writeStream(resource: string, id: string): Sample {
  return {
    typescript: `for await (const event of klieg.${resource}.stream("${id}")) console.log(event);`,
    python: `for event in klieg.${resource}.stream("${id}"):\n    print(event)`,
    go: [
      `stream := client.${exportName(resource)}.Stream(ctx, "${id}")`,
      "for stream.Next() {\n\tfmt.Println(stream.Event().Name)\n}",
    ].join("\n"),
  };
}

function getKey({ verb, path }: Pick<Operation, "verb" | "path">): string {
  return `${verb} ${path}`;
}

function readCall(resource: string, method: Method, operation: Operation, path: string): Call {
  const examples = new Map(operation.parameters.map(({ name, example }) => [name, example]));
  const target = /^\/(renders|assets)\//.exec(path)?.[1];
  return {
    resource,
    method: method.name,
    isAnswered: method.answer.kind !== "nothing",
    values: [
      ...method.parameters.map(({ name }) => (name === "target" ? target : examples.get(name))),
      ...method.needed.map(({ name }) => examples.get(name)),
    ],
    body: readBody(method, operation),
    hasQuery: method.query !== undefined,
  };
}

function readBody({ body }: Method, operation: Operation): Call["body"] {
  if (body?.kind !== "json") return body === undefined ? undefined : "bytes";
  return { json: operation.bodies[0]?.example, type: body.type, isOptional: !body.isRequired };
}

function writeSample(call: Call, types: Types): Sample {
  const typescript = [
    ...call.values.map((value) => JSON.stringify(value)),
    ...(call.body === "bytes"
      ? ['await openAsBlob("index.html")']
      : call.body === undefined
        ? []
        : [writeTypescript(call.body.json, "")]),
  ].join(", ");
  const python = [
    ...call.values.map((value) => JSON.stringify(value)),
    ...(call.body === "bytes"
      ? ['"index.html"']
      : call.body === undefined
        ? []
        : [writePython(call.body.json, "")]),
  ].join(", ");
  const place = call.resource === "" ? "klieg" : `klieg.${call.resource}`;
  const camelCase = toCamel(call.method);
  const kept = call.isAnswered ? "const answer = " : "";
  return {
    typescript: `${kept}await ${place}.${camelCase}(${typescript});`,
    python: `${call.isAnswered ? "answer = " : ""}${place}.${call.method}(${python})`,
    go: writeGoCall(call, types),
  };
}

function toCamel(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function writeTypescript(value: unknown, indent: string): string {
  return writeValue(value, indent, {
    key: (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)),
    plain: (one) => JSON.stringify(one),
  });
}

function writePython(value: unknown, indent: string): string {
  return writeValue(value, indent, {
    key: (name) => JSON.stringify(name),
    plain: (one) =>
      one === null ? "None" : one === true ? "True" : one === false ? "False" : JSON.stringify(one),
  });
}

interface Notation {
  readonly key: (name: string) => string;
  readonly plain: (value: unknown) => string;
}

/** Writes a literal on one line if it is short, otherwise a member per line. */
function writeValue(value: unknown, indent: string, notation: Notation): string {
  if (typeof value !== "object" || value === null) return notation.plain(value);
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const parts = Array.isArray(value)
    ? value.map((one) => writeValue(one, inner, notation))
    : Object.entries(value).map(
        ([name, one]) => `${notation.key(name)}: ${writeValue(one, inner, notation)}`,
      );
  const line = `${open}${parts.join(", ")}${close}`;
  if (line.length <= 60) return line;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join("")}${indent}${close}`;
}
