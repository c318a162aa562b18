/** The form's request as code, for users who prefer to call the API. */
import type { Body } from "./body.ts";
import type { Kind } from "./kinds.ts";
import { setRequest } from "./sets.ts";

export const languages = ["curl", "CLI", "TypeScript", "Python"] as const;
export type Language = (typeof languages)[number];

export function snippet(language: Language, kind: Kind, body: Body, origin: string): string {
  switch (language) {
    case "curl":
      return curl(kind, body, origin);
    case "CLI":
      return cli(kind, body);
    case "TypeScript":
      return typeScript(kind, body, origin);
    case "Python":
      return python(kind, body, origin);
  }
}

function curl({ path, buildRequest: requestOf }: Kind, body: Body, origin: string): string {
  return `curl ${origin}/v1${path} \\
  -H "Authorization: Bearer $KLIEG_TOKEN" \\
  -H "Content-Type: application/json" \\
  -d ${quote(JSON.stringify(requestOf(body)))}`;
}

/** Positional arguments come first, then options; speech is a separate command. */
function cli(kind: Kind, body: Body): string {
  if (kind.name === "set") return setCommand(body);
  const { task, ...fields } = body;
  const command = kind.name === "audio" ? `generate ${audioCommand(task, body)}` : kind.command;
  const subject = findSubject(fields);
  const options = Object.entries(fields)
    .filter(([name]) => name !== subject && name !== "output_format")
    .map(([name, value]) => option(name, value));
  const words = subject === undefined ? [] : splitWords(fields[subject]);
  const extension = String(body["output_format"] ?? kind.extension).replace("jpeg", "jpg");
  return ["npx klieg", command, ...words, ...options, `-o result.${extension}`].join(" ");
}

function setCommand(body: Body): string {
  const { base, members } = setRequest(body);
  const { prompt = "", ...fields } = base;
  const options = Object.entries(fields).map(([name, value]) => option(name, value));
  const each = members.map(({ label, prompt_suffix: suffix }) =>
    option("member", `${label}=${prompt} ${suffix}`),
  );
  return ["npx klieg generate set", quote(prompt), ...each, ...options, "-o ."].join(" ");
}

function audioCommand(task: unknown, body: Body): string {
  if (task === "music") return "music";
  if (task === "sound_effect") return "sound";
  if (body["text"] !== undefined) return "speech";
  return body.model.includes("sound") ? "sound" : "music";
}

function findSubject(fields: Readonly<Record<string, unknown>>): string | undefined {
  const subjects = ["image_asset_ids", "source_asset_id", "text", "prompt"];
  return subjects.find((name) => fields[name] !== undefined);
}

function splitWords(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).map((one) => quote(String(one)));
}

/** Options for assets omit `asset id` from their names, because they accept files and ids. */
function option(name: string, value: unknown): string {
  const word = name.replace(/_asset_ids?$/, "").replaceAll("_", "-");
  if (value === true) return `--${word}`;
  return splitWords(value)
    .map((one) => `--${word} ${one}`)
    .join(" ");
}

function quote(text: string): string {
  return /^[A-Za-z0-9_./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function typeScript(kind: Kind, body: Body, origin: string): string {
  const { method, buildRequest: requestOf } = kind;
  return `import { Klieg } from "klieg";

const klieg = new Klieg({ url: "${origin}", token: process.env.KLIEG_TOKEN });
const { id } = await klieg.${method}(${literal(requestOf(body), 0)});
${
  kind.name === "set"
    ? `const set = await klieg.sets.wait(id);
for (const { label, asset } of set.members) console.log(label, asset?.signed_url);`
    : `const job = await klieg.jobs.wait(id);
console.log(job.asset?.signed_url);`
}`;
}

function python(kind: Kind, body: Body, origin: string): string {
  const { method, buildRequest: requestOf } = kind;
  const name = method.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const text = JSON.stringify(requestOf(body), null, 4)
    .replaceAll(/: true\b/g, ": True")
    .replaceAll(/: false\b/g, ": False");
  return `import os
from klieg import Klieg

klieg = Klieg(url="${origin}", token=os.environ["KLIEG_TOKEN"])
${
  kind.name === "set"
    ? `made = klieg.${name}(${text})
made = klieg.sets.wait(made.id)
for member in made.members:
    print(member.label, member.asset and member.asset.signed_url)`
    : `job = klieg.${name}(${text})
job = klieg.jobs.wait(job.id)
print(job.asset.signed_url)`
}`;
}

function literal(value: object, depth: number): string {
  const indent = "  ".repeat(depth + 1);
  const lines = Object.entries(value).map(
    ([name, member]) => `${indent}${name}: ${JSON.stringify(member)},`,
  );
  return `{\n${lines.join("\n")}\n${"  ".repeat(depth)}}`;
}
