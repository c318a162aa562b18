import { constants, openAsBlob } from "node:fs";
import { access } from "node:fs/promises";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import type { Asset } from "../clients/typescript/src/generated/models.ts";
import { KliegError } from "../clients/typescript/src/klieg.ts";
import type { Sent } from "../clients/typescript/src/sending.ts";
import { type Command, CommandError, onlyArgument, type Session } from "./command.ts";
import { progressLine } from "./terminal/progress-line.ts";

export const upload: Command = {
  name: "upload",
  usage: "<file> [--json]",
  summary: "Upload a file as an asset.",
  options: ["--json  print the asset as JSON"],
  async run(args, session) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: "boolean", default: false } },
    });
    const asset = await uploadFile(onlyArgument(positionals, "the file"), session);
    const { id, mime_type: type, size_bytes: size } = asset;
    const text = `${id}  ${type}, ${Math.ceil(size / 1024)} KiB`;
    session.terminal.print(values.json ? JSON.stringify(asset) : text);
  },
};

/** Smaller files are uploaded before a progress line could be read. */
const shownBytesMin = 8_388_608;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns an asset's id: the given one, or that of the local file, which is uploaded. */
export async function assetId(given: string, session: Session, path = given): Promise<string> {
  return uuid.test(given) ? given : (await uploadFile(path, session)).id;
}

/** Throws `CommandError`. */
async function openFile(path: string): Promise<Blob> {
  try {
    await access(path, constants.R_OK);
    return await openAsBlob(path);
  } catch (cause) {
    throw Object.assign(new CommandError(`${path} cannot be read.`), { cause });
  }
}

/** Returns the asset once ready. Throws `CommandError` for a file that cannot be read or used. */
export async function uploadFile(path: string, session: Session): Promise<Asset> {
  const client = await session.client();
  const file = await openFile(path);
  const line = progressLine(session.terminal);
  const filename = basename(path);
  const onProgress = ({ sentBytes, totalBytes }: Sent) => {
    const progress = totalBytes === 0 ? 1 : sentBytes / totalBytes;
    line.show({ status: "running", progress, status_message: filename });
  };
  try {
    const isLarge = file.size > shownBytesMin && session.terminal.isInteractive;
    return await client.assets.upload(file, { filename }, isLarge ? { onProgress } : {});
  } catch (fault) {
    if (!(fault instanceof KliegError) || fault.problem.status !== undefined) throw fault;
    if (fault.code !== "validation") throw fault;
    throw new CommandError(fault.message);
  } finally {
    line.clear();
  }
}
