import { constants, openAsBlob } from "node:fs";
import { access } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Asset } from "../../actors/contract/asset.ts";
import { type Command, CommandError, onlyArgument, type Session } from "./command.ts";

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

const pauseMs = 200;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id of an asset: given as such, or of a file here, which is uploaded. */
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

/** The asset once it is ready. Throws `CommandError` for a file that cannot be read or used. */
export async function uploadFile(path: string, session: Session): Promise<Asset> {
  const client = await session.client();
  const file = await openFile(path);
  let asset = await client.upload(basename(path), file);
  while (asset.status === "processing") {
    await pause(pauseMs);
    asset = await client.asset(asset.id);
  }
  if (asset.status === "ready") return asset;
  throw new CommandError(asset.failure_reason ?? `${path} could not be used.`);
}
