/** Saves a composition's timeline as an archive for a desktop editor, with its media beside it. */
import { mkdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { count } from "../../actors/count.ts";
import type { Klieg } from "../../clients/typescript/src/klieg.ts";
import {
  type ExportFormat,
  type ExportManifest,
  exportFormats,
} from "../../contract/composition.ts";
import { parseId } from "../../engine/id.ts";
import { type Command, CommandError, onlyArgument, type Session, UsageError } from "../command.ts";
import { checkOutput, standardOutput, writeWhole } from "../output-file.ts";
import { progressLine } from "../terminal/progress-line.ts";
import { readBundle, sendBundle } from "./bundle-folder.ts";

export const exportTimeline: Command = {
  name: "export",
  usage: "<composition or folder> --format NAME [options]",
  summary: "Export a timeline for Premiere Pro, DaVinci Resolve or After Effects.",
  options: [
    `--format NAME       ${exportFormats.join(" or ")}`,
    "-o, --output FILE   where to save it (<name>-<format>.zip)",
    "--with-media        save the media beside it, in media/",
    "--json              print the manifest and the file as JSON",
  ],
  run,
};

async function run(args: readonly string[], session: Session): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      format: { type: "string" },
      output: { type: "string", short: "o" },
      "with-media": { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  });
  const what = onlyArgument(positionals, "the composition or its folder");
  const format = parseFormat(values.format);
  const output = values.output ?? `${basename(resolve(what))}-${format}.zip`;
  const withMedia = values["with-media"];
  if (output === standardOutput && (withMedia || values.json))
    throw new UsageError(
      "-o - prints the archive and cannot be combined with --with-media or --json.",
    );
  await checkOutput(output);
  const isFolder = (await stat(what).catch(() => undefined))?.isDirectory() === true;
  if (!isFolder && parseId(what) === undefined)
    throw new CommandError(`${what} is neither a folder nor the id of a composition.`);
  const files = isFolder ? await readBundle(what) : undefined;
  const client = await session.client();
  const name = basename(resolve(what));
  const id = files === undefined ? what : (await client.compositions.create({ name })).id;
  if (files !== undefined) await sendBundle(client, id, files);
  const { body } = await client.compositions.export(id, format);
  if (body === null) throw new CommandError("The archive was empty.");
  const sizeBytes = await writeWhole(output, body);
  if (output === standardOutput) return;
  const { readManifest } = await import("./archived-manifest.ts");
  const manifest = await readManifest(output);
  for (const warning of manifest.warnings) session.terminal.say(`warning: ${warning}\n`);
  const folder = dirname(output);
  const media = withMedia ? await saveMedia(client, manifest, folder, session) : [];
  session.terminal.print(
    values.json
      ? JSON.stringify({ manifest, file: { path: output, size_bytes: sizeBytes }, media })
      : describe(manifest, output, sizeBytes, media.length),
  );
}

/** Throws `UsageError`. */
function parseFormat(text: string | undefined): ExportFormat {
  const format = exportFormats.find((known) => known === text);
  if (format !== undefined) return format;
  const names = exportFormats.join(", ");
  throw new UsageError(
    text === undefined
      ? `Choose a format with --format: one of ${names}.`
      : `--format is "${text}"; set it to one of ${names}.`,
  );
}

interface SavedMedia {
  readonly path: string;
  readonly size_bytes: number;
}

/** Saves media one after the other, since all come from the same service. */
async function saveMedia(
  client: Klieg,
  { media }: ExportManifest,
  folder: string,
  { terminal }: Session,
): Promise<readonly SavedMedia[]> {
  const line = progressLine(terminal);
  const saved: SavedMedia[] = [];
  try {
    for (const [index, { path, url, ref }] of media.entries()) {
      line.show({
        status: "running",
        progress: index / media.length,
        status_message: `${index + 1} of ${count(media.length, "file")}: ${path}`,
      });
      if (!/^media\/[a-z0-9.-]+$/.test(path))
        throw new CommandError(`Nothing can be saved at ${path}.`);
      if (url === null || url === undefined) {
        line.clear();
        terminal.say(`warning: ${ref} has no link and was not saved\n`);
        continue;
      }
      const { body } = await client.download(url);
      if (body === null) throw new CommandError(`The download of ${ref} was empty.`);
      const place = join(folder, path);
      await mkdir(dirname(place), { recursive: true });
      saved.push({ path: place, size_bytes: await writeWhole(place, body) });
    }
  } finally {
    line.clear();
  }
  return saved;
}

function describe(
  { duration_frames: frames, frame_rate: rate, media, warnings }: ExportManifest,
  path: string,
  sizeBytes: number,
  saved: number,
): string {
  const parts = [
    `${frames / rate} s`,
    count(media.length, "media file"),
    ...(saved > 0 ? [`${saved} saved beside it`] : []),
    count(warnings.length, "warning"),
    `${Math.ceil(sizeBytes / 1024)} KiB`,
  ];
  return `${path}  ${parts.join(", ")}`;
}
