/** `klieg generate set`: makes several pictures that belong together, each as its own job. */
import { parseArgs } from "node:util";
import { count } from "../actors/count.ts";
import {
  type Command,
  CommandError,
  onlyArgument,
  optionLine,
  type Session,
  UsageError,
  wholeNumber,
} from "./command.ts";
import { checkOutput, saveAsset } from "./output-file.ts";

export const generateSet: Command = {
  name: "generate set",
  usage: '"<prompt>" --member LABEL[=PROMPT] [--member ...] [options]',
  summary: "Make a set of pictures and save them as <label>.png.",
  options: [
    optionLine("--member LABEL[=PROMPT]", "a picture; its own prompt replaces the common one"),
    optionLine("--output FOLDER, -o", "where to save them (this folder)"),
    optionLine("--name NAME", "what the set is called"),
    optionLine("--model VALUE", "catalogue id or alias (default)"),
    optionLine("--aspect-ratio VALUE", "for example 1:1, 16:9, 9:16"),
    optionLine("--resolution VALUE", "for example 1k, 2k"),
    optionLine("--quality VALUE", "for example draft, standard"),
    optionLine("--negative-prompt TEXT", "what must not appear"),
    optionLine("--seed N", "the same seed and request give the same result"),
    optionLine("--json", "print the finished set as JSON"),
  ],
  run,
};

async function run(args: readonly string[], session: Session): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      member: { type: "string", multiple: true, default: [] },
      output: { type: "string", short: "o", default: "." },
      name: { type: "string" },
      model: { type: "string", default: "default" },
      "aspect-ratio": { type: "string" },
      resolution: { type: "string" },
      quality: { type: "string" },
      "negative-prompt": { type: "string" },
      seed: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const prompt = onlyArgument(positionals, "the prompt");
  if (values.member.length === 0) throw new UsageError("Name at least one member with --member.");
  const members = values.member.map(parseMember);
  for (const { label } of members) await checkOutput(`${values.output}/${label}.png`);
  const { model, resolution, quality, seed } = values;
  const base = {
    model,
    prompt,
    resolution,
    quality,
    aspect_ratio: values["aspect-ratio"],
    negative_prompt: values["negative-prompt"],
    seed: wholeNumber(seed, "--seed"),
  };
  const client = await session.client();
  const accepted = await client.generate.set({ name: values.name, base, members });
  session.terminal.say(`set ${accepted.id}\n`);
  const done = await client.sets.wait(accepted.id);
  for (const { label, detail } of done.problems) session.terminal.say(`${label}: ${detail}\n`);
  for (const { label, asset, failure } of done.members) {
    if (failure !== undefined) session.terminal.say(`${label}: ${failure.message}\n`);
    if (asset === undefined) continue;
    const path = `${values.output}/${label}.png`;
    await saveAsset(client, asset, path);
    if (!values.json) session.terminal.print(path);
  }
  if (values.json) session.terminal.print(JSON.stringify(done));
  else session.terminal.print(`${count(done.credits_charged, "credit")} charged`);
  if (done.status !== "ready") throw new CommandError(`The set ended as ${done.status}.`);
}

/** Parses a member. Its label becomes a file's name. Throws `UsageError`. */
function parseMember(text: string): { readonly label: string; readonly prompt?: string } {
  const [, label = "", prompt] = /^([^=]*)(?:=([\s\S]*))?$/.exec(text) ?? [];
  if (!/^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u.test(label))
    throw new UsageError(
      `"${label}" is not a valid label; use letters, digits, spaces, ., _ and -.`,
    );
  return prompt === undefined ? { label } : { label, prompt };
}
