/** From an accepted render to its file: follow it, save what it made, say what that is. */
import type { Render } from "../../../actors/contract/render.ts";
import { Unreachable } from "../../client/call.ts";
import type { Client } from "../../client/client.ts";
import { followRender, type RenderEvent } from "../../client/follow.ts";
import { CommandError, type Session } from "../command.ts";
import { writeWhole } from "../output-file.ts";
import { progressLine } from "../progress-line.ts";

export interface Delivery {
  /** The file's path. */
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
    isJson ? JSON.stringify({ render: made, file }) : described(made, output, sizeBytes),
  );
}

/** The render when it has succeeded. Throws `CommandError`. */
async function follow(client: Client, accepted: Render, { terminal }: Session): Promise<Render> {
  const line = progressLine(terminal);
  const begunMs = performance.now();
  const show = (event: RenderEvent) => {
    const { status, progress = null } = event;
    const left = terminal.isInteractive ? timeLeft(progress, begunMs) : null;
    line.show({ status, progress, status_message: left });
  };
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
