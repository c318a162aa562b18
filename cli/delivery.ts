/**
 * One generation of the command line: submit, follow, save, say what it cost.
 *
 * 1. What can be wrong on this side (arguments, the place to save) was found before the submit.
 * 2. One run of the command is one job, however often the connection breaks.
 * 3. A failed or canceled job saves nothing and ends with the service's own sentence.
 */

import { count } from "../actors/count.ts";
import type { Generation } from "../clients/typescript/src/generate.ts";
import type { Asset, Job } from "../clients/typescript/src/generated/models.ts";
import { type Klieg, KliegError } from "../clients/typescript/src/klieg.ts";
import { extensionByType } from "../config/media-types.ts";
import { CommandError, type Session } from "./command.ts";
import { outputPath, saveAsset, standardOutput } from "./output-file.ts";
import { progressLine } from "./terminal/progress-line.ts";

export async function deliver(
  session: Session,
  what: Generation,
  request: object,
  { output, json }: { readonly output?: string | undefined; readonly json: boolean },
): Promise<void> {
  const client = await session.client();
  const job = await make(client, what, request, session);
  const saved = await save(client, job, output);
  if (json) {
    const files = saved.map(({ path: file, asset, sizeBytes }) => ({
      path: file,
      asset_id: asset.id,
      size_bytes: sizeBytes,
    }));
    session.terminal.print(JSON.stringify({ job, files }));
    return;
  }
  // With `-o -`, standard output carries only the result.
  const tell = output === standardOutput ? tellBeside(session) : session.terminal.print;
  for (const file of saved) if (file.path !== standardOutput) tell(describe(file));
  for (const warning of job.warnings ?? []) session.terminal.say(`warning: ${warning}\n`);
  const charged = job.credits_charged;
  tell(
    typeof charged === "number"
      ? `${count(charged, "credit")} charged`
      : "credits are being settled",
  );
}

function tellBeside({ terminal }: Session): (line: string) => void {
  return (line) => terminal.say(`${line}\n`);
}

async function make(
  client: Klieg,
  what: Generation,
  request: object,
  session: Session,
): Promise<Job> {
  const line = progressLine(session.terminal);
  const accepted = await client.generate.submit(what, request);
  const forget = session.terminal.onInterrupt(() => explainInterruption(accepted.id));
  try {
    line.show(accepted);
    return await client.jobs.wait(accepted.id, { onEvent: ({ data }) => line.show(data) });
  } catch (fault) {
    if (!(fault instanceof KliegError)) throw fault;
    if (fault.job !== undefined) throw new CommandError(fault.message);
    if (fault.code !== "unreachable") throw fault;
    throw new CommandError(
      `The service stopped answering; the job continues. See it later with: klieg job ${accepted.id}`,
    );
  } finally {
    forget();
    line.clear();
  }
}

/** The accepted job continues; the text says how to find or end it. */
function explainInterruption(id: string): string {
  return `\nThe job ${id} continues. See it with klieg job ${id}, end it with klieg cancel ${id}.\n`;
}

interface SavedFile {
  readonly path: string;
  readonly asset: Asset;
  readonly sizeBytes: number;
}

async function save(client: Klieg, job: Job, output: string | undefined): Promise<SavedFile[]> {
  const assets = job.assets ?? (job.asset === undefined ? [] : [job.asset]);
  const saved: SavedFile[] = [];
  for (const [index, asset] of assets.entries()) {
    const path = outputPath(output ?? `${job.id}${getExtension(asset)}`, index, assets.length);
    saved.push({ path, asset, sizeBytes: await saveAsset(client, asset, path) });
  }
  return saved;
}

function getExtension({ mime_type: type }: Asset): string {
  return `.${extensionByType[type] ?? "bin"}`;
}

function describe({ path, asset, sizeBytes }: SavedFile): string {
  const edges = asset.width && asset.height ? `${asset.width} x ${asset.height}, ` : "";
  const length = asset.duration_seconds ? `${asset.duration_seconds} s, ` : "";
  return `${path}  ${edges}${length}${Math.ceil(sizeBytes / 1024)} KiB`;
}
