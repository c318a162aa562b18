/** A folder to a film or a still: upload, render, follow, save. */
import { basename, resolve } from "node:path";
import { parseArgs } from "node:util";
import {
  type Quality,
  qualities,
  type Render,
  type RenderRequest,
} from "../../actors/contract/render.ts";
import { Unreachable } from "../client/call.ts";
import type { Client } from "../client/client.ts";
import { followRender, type RenderEvent } from "../client/follow.ts";
import { type Command, CommandError, onlyArgument, type Session, UsageError } from "./command.ts";
import { bundleOf, uploadFolder } from "./exporting/folder-composition.ts";
import { checkOutput, writeWhole } from "./output-file.ts";
import { progressLine } from "./progress-line.ts";

export const render: Command = {
  name: "render",
  usage: "<folder> [options]",
  summary: "Render a composition's folder to a film or a still.",
  options: [
    "-o, --output FILE   where to save it (<folder>.mp4, or .png for a still)",
    "--quality NAME      fast, standard or high (standard)",
    "--still SECONDS     one frame as a PNG instead of the film",
    "--composition ID    into this composition, whose files are replaced (a new one)",
    "--json              print the finished render and the file as JSON",
  ],
  run,
};

async function run(args: readonly string[], session: Session): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      output: { type: "string", short: "o" },
      quality: { type: "string" },
      still: { type: "string" },
      composition: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const folder = onlyArgument(positionals, "the folder");
  const request = requestOf(values.quality, values.still);
  const name = basename(resolve(folder));
  const output = values.output ?? `${name}${request.target === "still" ? ".png" : ".mp4"}`;
  await checkOutput(output);
  const files = await bundleOf(folder);
  const client = await session.client();
  const id = await uploadFolder(client, name, files, values.composition);
  const made = await renderFolder(client, id, request, session);
  const sizeBytes = await save(client, made, output);
  const file = { path: output, size_bytes: sizeBytes };
  session.terminal.print(
    values.json ? JSON.stringify({ render: made, file }) : described(made, file.path, sizeBytes),
  );
}

/** Throws `UsageError`. */
function requestOf(quality: string | undefined, still: string | undefined): RenderRequest {
  if (still === undefined) return quality === undefined ? {} : { quality: qualityOf(quality) };
  if (quality !== undefined) throw new UsageError("--quality is only for films.");
  const seconds = Number(still);
  if (still.trim() === "" || !(seconds >= 0))
    throw new UsageError(`--still is "${still}"; give it seconds.`);
  return { target: "still", still: { at_seconds: seconds } };
}

function qualityOf(text: string): Quality {
  const quality = qualities.find((known) => known === text);
  if (quality !== undefined) return quality;
  throw new UsageError(`--quality is "${text}"; give it one of ${qualities.join(", ")}.`);
}

async function renderFolder(
  client: Client,
  id: string,
  request: RenderRequest,
  { terminal }: Session,
): Promise<Render> {
  const line = progressLine(terminal);
  const begunMs = performance.now();
  const show = (event: RenderEvent) => {
    const { status, progress = null } = event;
    const left = terminal.isInteractive ? timeLeft(progress, begunMs) : null;
    line.show({ status, progress, status_message: left });
  };
  const accepted = await client.submitRender(id, request);
  const forget = terminal.onInterrupt(() => `\nThe render ${accepted.id} goes on.\n`);
  try {
    show(accepted);
    const made = await followRender(client, accepted.id, show);
    line.clear();
    for (const warning of made.warnings) terminal.say(`warning: ${warning}\n`);
    if (made.status === "succeeded") return made;
    throw new CommandError(`${made.error ?? "The render failed"}.`);
  } catch (fault) {
    if (!(fault instanceof Unreachable)) throw fault;
    throw new CommandError(`The service stopped answering; the render ${accepted.id} goes on.`);
  } finally {
    forget();
    line.clear();
  }
}

/** By the pace so far; null while there is none. */
function timeLeft(progress: number | null, begunMs: number): string | null {
  if (progress === null || progress < leastShare || progress >= 1) return null;
  const spentMs = performance.now() - begunMs;
  return `about ${Math.ceil(((1 - progress) / progress) * (spentMs / 1_000))} s left`;
}

const leastShare = 0.02;

async function save(client: Client, { id, asset_id: asset }: Render, path: string) {
  if (asset === undefined || asset === null)
    throw new CommandError(`What the render ${id} made is not there any more.`);
  const { body } = await client.download((await client.asset(asset)).signed_url);
  if (body === null) throw new CommandError(`The download of asset ${asset} was empty.`);
  return writeWhole(path, body);
}

function described(made: Render, path: string, sizeBytes: number): string {
  const { width, height, duration_seconds: seconds, composition_id: composition } = made;
  const length = typeof seconds === "number" ? `${seconds} s, ` : "";
  const size = `${width} x ${height}, ${length}${Math.ceil(sizeBytes / 1024)} KiB`;
  return `${path}  ${size}, composition ${composition}`;
}
