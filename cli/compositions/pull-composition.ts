/** `klieg composition pull`: writes the files of a composition into a folder. */
import { mkdir, readdir } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { parseArgs } from "node:util";
import { count } from "../../actors/count.ts";
import type { Klieg } from "../../clients/typescript/src/klieg.ts";
import { type Command, CommandError, onlyArgument, optionLine, type Session } from "../command.ts";
import { writeWhole } from "../output-file.ts";
import { progressLine } from "../terminal/progress-line.ts";

export const pullComposition: Command = {
  name: "composition pull",
  usage: "<composition id> [options]",
  summary: "Save the files of a composition to a folder.",
  options: [
    optionLine("-o, --output FOLDER", "which folder (the composition's name)"),
    optionLine("--force", "allow a folder with files; those of the same name are replaced"),
  ],
  run,
};

async function run(args: readonly string[], session: Session): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      output: { type: "string", short: "o" },
      force: { type: "boolean", default: false },
    },
  });
  const id = onlyArgument(positionals, "the composition");
  const client = await session.client();
  const { name, files = [] } = await client.compositions.get(id);
  const folder = values.output ?? folderName(name);
  if (!values.force) await checkEmpty(folder);
  const line = progressLine(session.terminal);
  let saved = 0;
  for (const { path } of files) {
    line.show({ status: "running", progress: saved / files.length, status_message: path });
    await save(client, id, path, placeIn(folder, path));
    saved += 1;
  }
  line.clear();
  session.terminal.print(`${folder}  ${count(files.length, "file")}`);
}

async function checkEmpty(folder: string): Promise<void> {
  const names = await readdir(folder).catch((fault: unknown) => {
    if (isMissing(fault)) return [];
    throw Object.assign(new CommandError(`${folder} cannot be read.`), { cause: fault });
  });
  if (names.length > 0)
    throw new CommandError(`${folder} is not empty; name another folder with -o, or add --force.`);
}

function isMissing(fault: unknown): boolean {
  return fault instanceof Error && "code" in fault && fault.code === "ENOENT";
}

/** Resolves a path in the folder; a foreign service may send any path. Throws `CommandError`. */
function placeIn(folder: string, path: string): string {
  const place = join(folder, path);
  if (resolve(place).startsWith(resolve(folder) + sep)) return place;
  throw new CommandError(`The composition has a file ${JSON.stringify(path)} outside its folder.`);
}

async function save(client: Klieg, id: string, path: string, place: string): Promise<void> {
  await mkdir(dirname(place), { recursive: true });
  const { body } = await client.compositions.getFile(id, path);
  await writeWhole(place, body ?? new Blob([]).stream());
}

function folderName(name: string): string {
  const plain = name.replaceAll(/[^\p{L}\p{N}._ -]/gu, "-").replace(/^[.\s]+/, "");
  return plain === "" ? "composition" : plain;
}
