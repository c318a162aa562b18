/** Follows an accepted render, saves the file that it made, and describes the file. */
import type { Render } from "../../clients/typescript/src/generated/models.ts";
import { type Klieg, KliegError } from "../../clients/typescript/src/klieg.ts";
import { CommandError, type Session } from "../command.ts";
import { writeWhole } from "../output-file.ts";
import { type Progress, progressLine } from "../terminal/progress-line.ts";

export interface Delivery {
  /** Path of the file to write. */
  readonly output: string;
  readonly isJson: boolean;
}

/** Throws `CommandError`. */
export async function deliverRender(
  accepted: Render,
  { output, isJson }: Delivery,
  session: Session,
): Promise<void> {
  const client = await session.client();
  const made = await follow(client, accepted, session);
  const sizeBytes = await save(client, made, output);
  const file = { path: output, size_bytes: sizeBytes };
  session.terminal.print(
    isJson ? JSON.stringify({ render: made, file }) : describe(made, output, sizeBytes),
  );
}

/** Follows a render and returns it once it has succeeded. Throws `CommandError`. */
async function follow(client: Klieg, accepted: Render, { terminal }: Session): Promise<Render> {
  const line = progressLine(terminal);
  const begunMs = performance.now();
  const show = (event: Progress) => {
    const { status, progress = null } = event;
    const left = terminal.isInteractive ? estimateTimeLeft(progress, begunMs) : null;
    line.show({ status, progress, status_message: left });
  };
  const forget = terminal.onInterrupt(() => `\nThe render ${accepted.id} continues.\n`);
  try {
    show(accepted);
    for await (const { data } of client.renders.stream(accepted.id)) show(data);
    const made = await client.renders.get(accepted.id);
    line.clear();
    for (const warning of made.warnings) terminal.say(`warning: ${warning}\n`);
    if (made.status === "succeeded") return made;
    throw new CommandError((made.error ?? "The render failed").replace(/\.?$/, "."));
  } catch (fault) {
    if (!(fault instanceof KliegError) || fault.code !== "unreachable") throw fault;
    throw new CommandError(`The service stopped answering; the render ${accepted.id} continues.`);
  } finally {
    forget();
    line.clear();
  }
}

/** Estimates the time left by the pace so far; null while there is no pace to go by. */
function estimateTimeLeft(progress: number | null, begunMs: number): string | null {
  if (progress === null || progress < leastShare || progress >= 1) return null;
  const spentMs = performance.now() - begunMs;
  return `about ${Math.ceil(((1 - progress) / progress) * (spentMs / 1_000))} s left`;
}

const leastShare = 0.02;

async function save(client: Klieg, { id, asset_id: asset }: Render, path: string) {
  if (asset === undefined || asset === null)
    throw new CommandError(`The result of the render ${id} no longer exists.`);
  const { body } = await client.assets.download(asset);
  if (body === null) throw new CommandError(`The download of asset ${asset} was empty.`);
  return writeWhole(path, body);
}

function describe(made: Render, path: string, sizeBytes: number): string {
  const { width, height, duration_seconds: seconds, composition_id: composition } = made;
  const length = typeof seconds === "number" ? `${seconds} s, ` : "";
  const size = `${width} x ${height}, ${length}${Math.ceil(sizeBytes / 1024)} KiB`;
  return `${path}  ${size}, composition ${composition}`;
}
