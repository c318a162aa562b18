/** `klieg generate ...`, `remove-background` and `restore`: turn arguments into a request. */

import { extname } from "node:path";
import { parseArgs } from "node:util";
import { omitUndefined } from "../config/defined.ts";
import {
  type Command,
  onlyArgument,
  optionLine,
  type Session,
  UsageError,
  wholeNumber,
} from "./command.ts";
import { deliver } from "./delivery.ts";
import { type FileOption, type Medium, media } from "./media.ts";
import { checkOutput, standardOutput } from "./output-file.ts";
import { assetId } from "./upload.ts";

type Values = Readonly<Record<string, string | boolean | string[] | undefined>>;

export interface Asked {
  /** Path of the output file; undefined without `-o`. */
  readonly output: string | undefined;
  readonly json: boolean;
  /** Uploads the files that the request needs, and builds its body. */
  readonly request: () => Promise<object>;
}

export const generateCommands: readonly Command[] = media.map((medium) => ({
  name: medium.name,
  usage: medium.usage,
  summary: medium.summary,
  options: [
    optionLine(
      "-o, --output FILE",
      "where to save it (default: <job id> with its extension); - writes to standard output",
    ),
    ...getOptions(medium),
    optionLine("--json", "print the finished job and the files as JSON"),
  ],
  async run(args, session) {
    const jobRequest = readArguments(medium, args, session);
    await checkOutput(jobRequest.output ?? "result");
    await deliver(session, medium.makes, await jobRequest.request(), jobRequest);
  },
}));

/** Returns the options of a medium, one line each. */
function getOptions({ texts, numbers = {}, decimals = {}, flags = {}, files = {} }: Medium) {
  return [
    ...Object.entries({ ...texts, ...numbers, ...decimals }).map(([name, help]) =>
      optionLine(`--${name} VALUE`, help),
    ),
    ...Object.entries(files).map(([name, { help, isList }]) =>
      optionLine(`--${name} FILE`, `${help}${isList === true ? "; may be repeated" : ""}`),
    ),
    ...Object.entries(flags).map(([name, help]) => optionLine(`--${name}`, help)),
  ];
}

/** Reads the arguments; nothing is sent to the service yet. Throws `UsageError`. */
export function readArguments(medium: Medium, args: readonly string[], session: Session): Asked {
  const { texts, numbers = {}, decimals = {}, flags = {}, files = {} } = medium;
  const single = Object.keys({ ...texts, ...numbers, ...decimals });
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...Object.fromEntries(single.map((name) => [name, { type: "string" as const }])),
      ...Object.fromEntries(
        Object.entries(files).map(([name, { isList = false }]) => [
          name,
          { type: "string" as const, multiple: isList },
        ]),
      ),
      ...Object.fromEntries(Object.keys(flags).map((name) => [name, { type: "boolean" as const }])),
      output: { type: "string", short: "o" },
      json: { type: "boolean", default: false },
    },
  });
  const given: Values = values;
  const fields = plainFields(medium, given);
  const format = chooseFormat(medium, values.output);
  const subject = getSubject(medium, positionals);
  if (values.json && values.output === standardOutput)
    throw new UsageError("-o - and --json both print to standard output; choose one.");
  return {
    output: values.output,
    json: values.json,
    request: async () => ({
      ...medium.fixed,
      ...(await subject(session)),
      ...omitUndefined({ output_format: format }),
      ...fields,
      ...(await fileFields(files, given, session)),
    }),
  };
}

function plainFields(medium: Medium, values: Values): object {
  const { texts, numbers = {}, decimals = {}, flags = {} } = medium;
  const fields: Record<string, unknown> = {};
  const set = (name: string, value: unknown) => {
    if (value !== undefined) fields[name.replaceAll("-", "_")] = value;
  };
  for (const name of [...Object.keys(texts), ...Object.keys(flags)]) set(name, values[name]);
  for (const name of Object.keys(numbers))
    set(name, wholeNumber(textAt(values, name), `--${name}`));
  for (const name of Object.keys(decimals)) set(name, decimal(textAt(values, name), `--${name}`));
  return fields;
}

function textAt(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
}

function decimal(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text.trim() === "" || !Number.isFinite(number))
    throw new UsageError(`${option} is "${text}"; set it to a number.`);
  return number;
}

/** Chooses the API's format by the output's extension. Throws `UsageError`. */
function chooseFormat({ formats }: Medium, path: string | undefined): string | undefined {
  const extension = path === undefined ? "" : extname(path).toLowerCase();
  if (extension === "" || extension in formats) return formats[extension];
  const known = Object.keys(formats).join(", ");
  throw new UsageError(`It can be saved as ${known}, not as ${extension}.`);
}

function getSubject({ subject, usage }: Medium, positionals: readonly string[]) {
  if (subject.kind === "text") {
    const text = onlyArgument(positionals, subject.what);
    return async () => ({ [subject.field]: text });
  }
  if (positionals.length === 0) throw new UsageError(`Name ${subject.what}: ${usage}.`);
  if (subject.isList !== true) onlyArgument(positionals, subject.what);
  return async (session: Session) => {
    const ids = await inOrder(positionals, (file) => assetId(file, session));
    return { [subject.field]: subject.isList === true ? ids : ids[0] };
  };
}

async function fileFields(
  files: Readonly<Record<string, FileOption>>,
  values: Values,
  session: Session,
): Promise<object> {
  const fields: Record<string, unknown> = {};
  for (const [name, { field, isList }] of Object.entries(files)) {
    const given = [values[name] ?? []].flat().map(String);
    const ids = await inOrder(given, (file) => assetId(file, session));
    if (ids.length > 0) fields[field] = isList === true ? ids : ids[0];
  }
  return fields;
}

async function inOrder<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}
