/**
 * The template of `clients/python`: the contract as Python. Its synchronous half is the
 * asynchronous one with the keywords of asyncio removed.
 */
import type { Contract, Method, NamedType, Resource } from "./contract.ts";
import type { Field, Shape } from "./shape.ts";

const columns = 100;
const notice = "Written by clients/generator from the published contract; do not edit it.";

/** Returns the generated texts by their paths below `clients/python/klieg/`. */
export function pythonFiles({ types, resources }: Contract): ReadonlyMap<string, string> {
  return new Map([
    ["models.py", models(types)],
    ["_async/calls.py", calls(resources)],
  ]);
}

const replacements: readonly (readonly [RegExp, string])[] = [
  [/\basync (def|for|with)\b/g, "$1"],
  [/\bawait /g, ""],
  [/\baclosing\b/g, "closing"],
  [/\bAsyncKlieg\b/g, "Klieg"],
  [/\bAsyncGenerator\[(\w+), None\]/g, "Generator[$1, None, None]"],
  [/\bAsyncGenerator\b/g, "Generator"],
  [/\bAsyncIterator\b/g, "Iterator"],
  [/\bAwaitable\[(\w+)\]/g, "$1"],
  [/\bAwaitable, /g, ""],
  [/\basync_http\b/g, "sync_http"],
];

/** Returns a module of `_async/` as it must be in `_sync/`. */
export function synchronous(text: string): string {
  const plain = replacements.reduce((so, [words, instead]) => so.replaceAll(words, instead), text);
  return `# ${notice}\n# In place of this file edit its namesake in _async/.\n${plain}`;
}

/** Names nested records, since a TypedDict cannot contain an anonymous one. */
class Names {
  readonly inner: (readonly [string, readonly Field[]])[] = [];

  getType(shape: Shape, name: string): string {
    switch (shape.kind) {
      case "text":
        return "str";
      case "integer":
        return "int";
      case "number":
        return "float";
      case "boolean":
        return "bool";
      case "null":
        return "None";
      case "anything":
        return "Any";
      case "named":
        return shape.name;
      case "literals":
        return `Literal[${shape.values.map(literal).join(", ")}]`;
      case "union":
        return shape.of
          .map((one, at) => this.getType(one, at === 0 ? name : `${name}${at}`))
          .join(" | ");
      case "list":
        return `List[${this.getType(shape.of, `${name}Item`)}]`;
      case "map":
        return `Dict[str, ${this.getType(shape.of, `${name}Value`)}]`;
      case "record":
        if (shape.fields.length === 0) return "Dict[str, Any]";
        this.inner.push([name, shape.fields]);
        return name;
    }
  }
}

function models(types: readonly NamedType[]): string {
  const head = [
    `"""What the service takes and answers.\n\n${notice}\n"""`,
    "",
    "from __future__ import annotations",
    "",
    "from typing import Any, Dict, List, Literal, NotRequired, TypeAlias, TypedDict, Union",
    "",
  ];
  return `${head.join("\n")}${types.map((type) => `\n${declaration(type)}`).join("")}`;
}

function declaration({ name, shape }: NamedType): string {
  const names = new Names();
  if (shape.kind !== "record" || shape.fields.length === 0) {
    const type = names.getType(shape, name);
    return `${writeInner(names)}${alias(name, type)}\n`;
  }
  const text = record(name, shape.fields, names);
  return `${writeInner(names)}${text}`;
}

/** Quoted, since the type may refer to names that are defined later. */
function alias(name: string, type: string): string {
  const line = `${name}: TypeAlias = ${quote(type)}`;
  if (line.length <= columns) return line;
  const members = type.split(" | ").map((one) => `    ${quote(one)},\n`);
  return `${name}: TypeAlias = Union[\n${members.join("")}]`;
}

/** Writes nested records; those named while writing another one are put before it. */
function writeInner(names: Names): string {
  const written: string[] = [];
  for (let one = names.inner.shift(); one !== undefined; one = names.inner.shift())
    written.unshift(`${record(one[0], one[1], names)}\n`);
  return written.join("");
}

function record(name: string, fields: readonly Field[], names: Names): string {
  const typed = fields.map((field) => {
    const inner = names.getType(field.shape, `${name}${pascal(field.name)}`);
    return { name: field.name, type: field.isRequired ? inner : `NotRequired[${inner}]` };
  });
  if (typed.every((field) => isName(field.name))) {
    const lines = typed.map((field) => `    ${wrapLine(`${field.name}: ${field.type}`)}\n`);
    return `\nclass ${name}(TypedDict):\n${lines.join("")}`;
  }
  const entries = typed.map((field) => `        ${quote(field.name)}: ${quote(field.type)},\n`);
  return `\n${name} = TypedDict(\n    ${quote(name)},\n    {\n${entries.join("")}    },\n)\n`;
}

/** Puts a literal's values on separate lines when they do not fit on one. */
function wrapLine(line: string): string {
  if (line.length + 4 <= columns || !line.includes("Literal[")) return line;
  return line.replaceAll(/Literal\[([^\]]*)\]/g, (_, values: string) => {
    const lines = values.split(", ").map((value) => `        ${value},\n`);
    return `Literal[\n${lines.join("")}    ]`;
  });
}

function calls(resources: readonly Resource[]): string {
  const used = new Set(resources.flatMap(({ methods }) => methods.flatMap(listModels)));
  const head = [
    `"""Every operation of the contract.\n\n${notice}\n"""`,
    "",
    "from __future__ import annotations",
    "",
    "import os",
    "from typing import Literal, cast",
    "",
    "from ..models import (",
    ...[...used].sort().map((name) => `    ${name},`),
    ")",
    "from ..transport.async_http import Response",
    "from ..transport.bodies import Source",
    "from .caller import Call, Caller, segment",
    "",
  ];
  return head.join("\n") + resources.map((resource) => `\n${resourceClass(resource)}`).join("");
}

function listModels({ body, answer }: Method): string[] {
  return [
    ...(body?.kind === "json" ? [body.type] : []),
    ...(answer.kind === "json" ? [answer.type] : []),
  ];
}

function resourceClass({ name, methods }: Resource): string {
  return [
    `\nclass ${pascal(name === "" ? "account" : name)}Calls:\n`,
    "    def __init__(self, caller: Caller) -> None:\n        self._caller = caller\n",
    ...methods.map((method) => `\n${methodText(method)}`),
  ].join("");
}

/** Resource at which the earlier result of a duplicate is read. */
const earlier: Readonly<Record<string, string>> = {
  Job: "jobs",
  Render: "renders",
  OutputSet: "sets",
};

function methodText(method: Method): string {
  const { answer, isSubmit, takesMatch, summary } = method;
  const type = answer.kind === "json" ? answer.type : answer.kind === "bytes" ? "Response" : "None";
  const found = answer.kind === "json" ? earlier[answer.type] : undefined;
  const args = [
    `"${method.verb}"`,
    writePath(method),
    ...(getQuery(method) === undefined ? [] : [`query=${getQuery(method)}`]),
    ...(method.body?.kind === "json"
      ? [method.body.isRequired ? "body=request" : "body={} if request is None else request"]
      : []),
    ...(method.body?.kind === "bytes"
      ? ["bytes=[Source(file).whole()]", `media_type="${detectMediaType(method.body)}"`]
      : []),
    ...(method.isRepeatable ? ["is_repeatable=True"] : []),
    ...(isSubmit ? [`earlier="${found ?? "none"}"`] : []),
  ];
  const given = [
    "call",
    ...(isSubmit ? ["key=idempotency_key"] : []),
    ...(takesMatch ? ["match=if_match"] : []),
  ].join(", ");
  const how = { json: "json", bytes: "open", nothing: "end" }[answer.kind];
  const asked = `await self._caller.${how}(${given})`;
  return [
    parenthesize(`    async def ${safe(method.name)}`, listParameters(method), ` -> ${type}:\n`),
    `        """${summary}"""\n`,
    parenthesize("        call = Call", args, "\n"),
    answer.kind === "json"
      ? `        return cast(${type}, ${asked})\n`
      : `        ${answer.kind === "bytes" ? "return " : ""}${asked}\n`,
  ].join("");
}

function parenthesize(before: string, parts: readonly string[], after: string): string {
  const line = `${before}(${parts.join(", ")})${after}`;
  if (line.length <= columns) return line;
  const indent = /^ */.exec(before)?.[0] ?? "";
  return `${before}(\n${parts.map((part) => `${indent}    ${part},\n`).join("")}${indent})${after}`;
}

function listParameters(method: Method): string[] {
  const { parameters, needed, body, isSubmit, takesMatch } = method;
  const names = new Names();
  const named = [
    ...method.queryFields.map(
      ({ name, shape }) => `${safe(name)}: ${names.getType(shape, "")} | None = None`,
    ),
    ...(isSubmit ? ["idempotency_key: str | None = None"] : []),
    ...(takesMatch ? ["if_match: str | None = None"] : []),
  ];
  return [
    "self",
    ...parameters.map(({ name, choices }) => {
      const type = choices === undefined ? "str" : `Literal[${choices.map(literal).join(", ")}]`;
      return `${safe(name)}: ${type}`;
    }),
    ...needed.map(({ name, shape }) => `${safe(name)}: ${names.getType(shape, "")}`),
    ...(body?.kind === "json"
      ? [body.isRequired ? `request: ${body.type}` : `request: ${body.type} | None = None`]
      : body?.kind === "bytes"
        ? ["file: bytes | str | os.PathLike[str]"]
        : []),
    ...(named.length === 0 ? [] : ["*", ...named]),
  ];
}

function getQuery({ needed, queryFields }: Method): string | undefined {
  const fields = [...needed, ...queryFields];
  if (fields.length === 0) return undefined;
  const entries = fields.map(({ name }) => `"${name}": ${safe(name)}`);
  const line = `{${entries.join(", ")}}`;
  if (line.length + 20 <= columns) return line;
  return `{\n${entries.map((entry) => `                ${entry},\n`).join("")}            }`;
}

function writePath({ path, parameters }: Method): string {
  if (parameters.length === 0) return JSON.stringify(path);
  const text = path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => `{segment(${safe(name)})}`);
  return `f"${text}"`;
}

function detectMediaType({ mediaType }: { readonly mediaType: string }): string {
  return mediaType === "*/*" ? "application/octet-stream" : mediaType;
}

const keywords = new Set(["from", "import", "class", "global", "lambda", "pass", "del", "is"]);

function safe(name: string): string {
  return keywords.has(name) ? `${name}_` : name;
}

function isName(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && !keywords.has(name);
}

function literal(value: string | number | boolean): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  return JSON.stringify(value);
}

function quote(text: string): string {
  return text.includes('"') ? `'${text}'` : `"${text}"`;
}

function pascal(name: string): string {
  const words = name.split("_").filter((word) => word !== "");
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
