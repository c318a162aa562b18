/**
 * A program that uses the client as any customer would: `node consumer.js <scenario.json> <url>
 * <token>`. It plays the scenario with the installed package and prints a line per step; its exit
 * code is 1 when one fails.
 */
import { readFileSync } from "node:fs";
import { Klieg, KliegError } from "klieg";
import type { Asset, GenerateImageRequest, Job } from "klieg/models";

interface Step {
  readonly title?: string;
  readonly call: string;
  readonly arguments?: readonly unknown[];
  readonly request?: object;
  /** Named arguments, or one object in languages that have none. */
  readonly named?: object;
  readonly options?: Readonly<Record<string, unknown>>;
  /** A file to send; `zeros` is the number of zero bytes appended to its content. */
  readonly file?: { readonly name: string; readonly base64: string; readonly zeros?: number };
  readonly text?: string;
  readonly keep?: string;
  readonly expect?: unknown;
  readonly refused?: Readonly<Record<string, unknown>>;
  readonly lastEvent?: unknown;
  readonly bytes?: unknown;
}

/** Typical code of a user, which is only type-checked here. */
export async function picture(klieg: Klieg): Promise<Asset> {
  const request: GenerateImageRequest = { model: "studio-image", prompt: "a red kite" };
  const { id }: Job = await klieg.generate.image(request, { idempotencyKey: "kite-1" });
  for await (const { event, data } of klieg.jobs.stream(id))
    if (event === "status") process.stdout.write(`${data.progress ?? 0}\n`);
  const { asset } = await klieg.jobs.wait(id, { timeoutSeconds: 60 });
  if (asset === undefined) throw new Error("no asset");
  return asset;
}

const [path = "", url = "", token = ""] = process.argv.slice(2);
const { steps }: { readonly steps: readonly Step[] } = JSON.parse(readFileSync(path, "utf8"));
const klieg = new Klieg({ url, token });
const kept = new Map<string, unknown>([["run", { id: token.slice(-4) + process.pid }]]);

for (const step of steps) {
  const title = step.title ?? step.call;
  try {
    await play(step);
    process.stdout.write(`passed ${title}\n`);
  } catch (fault) {
    process.exitCode = 1;
    process.stdout.write(`FAILED ${title}: ${fault instanceof Error ? fault.stack : fault}\n`);
    break;
  }
}

async function play(step: Step): Promise<void> {
  if (step.refused === undefined) {
    const answer = await invoke(step);
    if (step.keep !== undefined) kept.set(step.keep, answer);
    if (step.lastEvent !== undefined) check(await readLast(answer), step.lastEvent, "last event");
    else if (step.bytes !== undefined) check(await readSize(answer), step.bytes, "bytes");
    else if (step.expect !== undefined) check(answer, step.expect, "answer");
    return;
  }
  const refused = await invoke(step).then(
    () => undefined,
    (fault: unknown) => fault,
  );
  if (!(refused instanceof KliegError)) throw refused ?? new Error("It was not refused.");
  for (const [name, value] of Object.entries(step.refused))
    check(Reflect.get(refused, camel(name)) ?? null, value, name);
}

async function invoke(step: Step): Promise<unknown> {
  const names = step.call.split(".").map(camel);
  const method = names.pop() ?? "";
  const resource: object = names.length === 0 ? klieg : Reflect.get(klieg, names[0] ?? "");
  const options = Object.entries(fill(step.options ?? {}) as object);
  const given = [
    ...(step.arguments ?? []).map(fill),
    ...(step.file === undefined ? [] : [getFile(step.file)]),
    ...(step.text === undefined ? [] : [new Blob([step.text])]),
    ...(step.request === undefined ? [] : [fill(step.request)]),
    ...(step.named === undefined ? [] : [fill(step.named)]),
    ...(options.length === 0
      ? []
      : [Object.fromEntries(options.map(([name, value]) => [camel(name), value]))]),
  ];
  return Reflect.apply(Reflect.get(resource, method), resource, given);
}

function getFile({ name, base64, zeros = 0 }: NonNullable<Step["file"]>): File {
  return new File([Buffer.from(base64, "base64"), new Uint8Array(zeros)], name);
}

async function readLast(events: unknown): Promise<unknown> {
  let last: unknown;
  for await (const event of events as AsyncIterable<unknown>) last = event;
  return last;
}

async function readSize(answer: unknown): Promise<number> {
  return (await (answer as Response).arrayBuffer()).byteLength;
}

/** Replaces strings that begin with `$` by values that earlier steps kept. */
function fill(value: unknown): unknown {
  if (typeof value === "string" && value.startsWith("$")) {
    const [, place = "", rest = ""] = /^\$([\w.]+)(.*)$/.exec(value) ?? [];
    const [name = "", ...members] = place.split(".");
    const found = members.reduce<unknown>(
      (at, member) => Reflect.get(at as object, member),
      kept.get(name),
    );
    return rest === "" ? found : `${found}${rest}`;
  }
  if (Array.isArray(value)) return value.map(fill);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fill(inner)]));
}

/** Checks that each expected member is present and equal; further members are allowed. */
function check(found: unknown, pattern: unknown, place: string): void {
  const expected = fill(pattern);
  if (typeof expected !== "object" || expected === null) {
    if (found === expected) return;
    throw new Error(`${place} is ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
  }
  if (typeof found !== "object" || found === null) throw new Error(`${place} is ${found}`);
  for (const [name, value] of Object.entries(expected))
    check(Reflect.get(found, name), value, `${place}.${name}`);
}

function camel(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
