/** The template of `clients/typescript`: the contract as TypeScript. */
import type { Contract, Method, NamedType, Resource } from "./contract.ts";
import type { Field, Shape } from "./shape.ts";
import { namesIn } from "./shape.ts";

const columns = 100;
const header = "/** Written by clients/generator from the published contract; do not edit it. */\n";

/** Returns the generated texts by their paths below `clients/typescript/src/generated/`. */
export function typescriptFiles({ types, resources }: Contract): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  files.set("models.ts", header + types.map((type) => `\n${declaration(type)}\n`).join(""));
  for (const resource of resources) files.set(`${getFile(resource)}.ts`, calls(resource));
  return files;
}

function getFile({ name }: Resource): string {
  return `${name === "" ? "account" : name.replaceAll("_", "-")}-calls`;
}

function declaration({ name, shape, isGiven }: NamedType): string {
  if (shape.kind === "record" && shape.fields.length > 0)
    return `export interface ${name} ${block(shape.fields, isGiven, "")}`;
  const union = `export type ${name} = ${getType(shape, isGiven, "")};`;
  if (union.length <= columns || shape.kind !== "union") return union;
  const members = shape.of.map((one) => `\n  | ${getType(one, isGiven, "  ")}`);
  return `export type ${name} =${members.join("")};`;
}

/** Types passed by callers are readonly and may hold `undefined`, which JSON leaves out. */
function block(fields: readonly Field[], isGiven: boolean, indent: string): string {
  const lines = fields.map(({ name, shape, isRequired }) => {
    const type = getType(shape, isGiven, `${indent}  `);
    const key = `${isGiven ? "readonly " : ""}${writeKey(name)}${isRequired ? "" : "?"}`;
    const absent = isGiven && !isRequired ? " | undefined" : "";
    const line = `${indent}  ${key}: ${type}${absent};\n`;
    if (line.length <= columns || type.includes("\n")) return line;
    return `${indent}  ${key}:${wrapType(type, absent, `${indent}    `)};\n`;
  });
  return `{\n${lines.join("")}${indent}}`;
}

function getType(shape: Shape, isGiven: boolean, indent: string): string {
  switch (shape.kind) {
    case "text":
      return "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
    case "null":
      return shape.kind;
    case "anything":
      return "unknown";
    case "named":
      return shape.name;
    case "literals":
      return shape.values.map((value) => JSON.stringify(value)).join(" | ");
    case "union":
      return shape.of.map((one) => getType(one, isGiven, indent)).join(" | ");
    case "list": {
      const inner = getType(shape.of, isGiven, indent);
      const item = /^[\w]+$/.test(inner) ? inner : `(${inner})`;
      return `${isGiven ? "readonly " : ""}${item}[]`;
    }
    case "map":
      return `Record<string, ${getType(shape.of, isGiven, indent)}>`;
    case "record":
      if (shape.fields.length === 0) return "Record<string, never>";
      return block(shape.fields, isGiven, indent);
  }
}

/** Breaks a union that is too long for a line into one line per member. */
function wrapType(type: string, absent: string, indent: string): string {
  const list = /^(readonly )?\((.*)\)\[\]$/.exec(type);
  const members = (list?.[2] ?? type).split(" | ").map((one) => `${indent}| ${one}\n`);
  if (list === null) return `\n${members.join("").trimEnd()}${absent}`;
  return ` ${list[1] ?? ""}(\n${members.join("")}${indent.slice(2)})[]${absent}`;
}

function writeKey(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}

function calls(resource: Resource): string {
  const { name, methods } = resource;
  const models = new Set(methods.flatMap(listModels));
  const imported = [...models].sort(byLetters);
  const options = [...new Set(methods.map(getOptions))].sort(byLetters);
  const fromCaller = ["Caller", ...options];
  if (methods.some(({ body }) => body?.kind === "bytes")) fromCaller.push("Bytes");
  const needsSegment = methods.some(({ parameters }) => parameters.length > 0);
  const types = fromCaller.sort(byLetters).map((type) => `type ${type}`);
  const names = needsSegment ? ["segment", ...types] : types;
  const className = `${pascal(name === "" ? "account" : name)}Calls`;
  return [
    header,
    writeImport(needsSegment ? names : fromCaller, "../caller.ts", !needsSegment),
    imported.length === 0 ? "" : writeImport(imported, "./models.ts", true),
    `\nexport class ${className} {\n`,
    "  protected readonly caller: Caller;\n\n",
    "  constructor(caller: Caller) {\n    this.caller = caller;\n  }\n",
    ...methods.map((method) => `\n${writeMethod(method)}`),
    "}\n",
  ].join("");
}

function writeImport(names: readonly string[], from: string, isType: boolean): string {
  const word = isType ? "import type" : "import";
  const line = `${word} { ${names.join(", ")} } from "${from}";\n`;
  if (line.length <= columns) return line;
  return `${word} {\n${names.map((name) => `  ${name},\n`).join("")}} from "${from}";\n`;
}

function listModels({ body, query, answer, needed }: Method): string[] {
  return [
    ...(body?.kind === "json" ? [body.type] : []),
    ...(query === undefined ? [] : [query]),
    ...(answer.kind === "json" ? [answer.type] : []),
    ...needed.flatMap(({ shape }) => namesIn(shape)),
  ];
}

function getOptions({ isSubmit, takesMatch }: Method): string {
  if (isSubmit) return "SubmitOptions";
  return takesMatch ? "ChangeOptions" : "CallOptions";
}

/** Resource at which the earlier result of a duplicate is read. */
const earlier: Readonly<Record<string, string>> = {
  Job: "jobs",
  Render: "renders",
  OutputSet: "sets",
};

function writeMethod(method: Method): string {
  const { name, summary, answer, isRepeatable, isSubmit } = method;
  const type =
    answer.kind === "json" ? answer.type : answer.kind === "bytes" ? "Response" : "undefined";
  const found = answer.kind === "json" ? earlier[answer.type] : undefined;
  const fields = [
    `method: "${method.verb}"`,
    `path: ${writePath(method)}`,
    ...(getQuery(method) === undefined ? [] : [`query: ${getQuery(method)}`]),
    ...(method.body?.kind === "json" ? ["body: request"] : []),
    ...(method.body?.kind === "bytes"
      ? ["bytes", `mediaType: "${detectMediaType(method.body)}"`]
      : []),
    `isRepeatable: ${isRepeatable}`,
    ...(isSubmit ? [`earlier: "${found ?? "none"}"`] : []),
  ];
  const how = answer.kind === "bytes" ? "open" : answer.kind === "json" ? `json<${type}>` : "end";
  return [
    `  /** ${summary} */\n`,
    signature(`  ${camel(name)}`, listArguments(method), `Promise<${type}>`),
    `    return this.caller.${how}(\n`,
    writeCall(fields),
    "      options,\n    );\n  }\n",
  ].join("");
}

function writeCall(fields: readonly string[]): string {
  const line = `      { ${fields.join(", ")} },\n`;
  if (line.length <= columns) return line;
  return `      {\n${fields.map((field) => `        ${field},\n`).join("")}      },\n`;
}

function signature(name: string, args: readonly string[], answer: string): string {
  const line = `${name}(${args.join(", ")}): ${answer} {\n`;
  if (line.length <= columns) return line;
  return `${name}(\n${args.map((arg) => `    ${arg},\n`).join("")}  ): ${answer} {\n`;
}

function listArguments(method: Method): string[] {
  const { parameters, needed, body, query } = method;
  return [
    ...parameters.map(({ name, choices }) => {
      const type = choices?.map((choice) => `"${choice}"`).join(" | ") ?? "string";
      return `${camel(name)}: ${type}`;
    }),
    ...needed.map(({ name, shape }) => `${camel(name)}: ${getType(shape, true, "")}`),
    ...(body?.kind === "json"
      ? [`request: ${body.type}${body.isRequired ? "" : " = {}"}`]
      : body?.kind === "bytes"
        ? ["bytes: Bytes"]
        : []),
    ...(query === undefined ? [] : [`query: ${query} = {}`]),
    `options: ${getOptions(method)} = {}`,
  ];
}

/** Query fields are named as in the contract; the required ones are arguments of the method. */
function getQuery({ needed, query }: Method): string | undefined {
  const given = needed.map(({ name }) => (camel(name) === name ? name : `${name}: ${camel(name)}`));
  if (query === undefined) return given.length === 0 ? undefined : `{ ${given.join(", ")} }`;
  return given.length === 0 ? "{ ...query }" : `{ ...query, ${given.join(", ")} }`;
}

function detectMediaType({ mediaType }: { readonly mediaType: string }): string {
  return mediaType === "*/*" ? "application/octet-stream" : mediaType;
}

function writePath({ path, parameters }: Method): string {
  if (parameters.length === 0) return JSON.stringify(path);
  const text = path.replaceAll(
    /\{([a-z_]+)\}/g,
    (_, name: string) => `\${segment(${camel(name)})}`,
  );
  return `\`${text}\``;
}

function camel(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function pascal(name: string): string {
  const text = camel(name);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function byLetters(one: string, other: string): number {
  return one < other ? -1 : 1;
}
