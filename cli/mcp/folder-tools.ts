/** Tools that save results to an agent's folder; offered only over standard input and output. */

import { KliegError } from "../../clients/typescript/src/klieg.ts";
import { Type } from "../../config/schema.ts";
import { strict, Uuid } from "../../contract/common.ts";
import { exportFormats } from "../../contract/composition.ts";
import { type Tool, type Turn, tool } from "./tool.ts";

const path = Type.String({
  minLength: 1,
  maxLength: 512,
  description: "Where to write it in the folder; nothing may exist there yet.",
});

export const folderTools: readonly Tool[] = [
  tool({
    name: "save_asset",
    title: "Save an asset as a file",
    description: "Writes the bytes of an asset into the folder of this program.",
    takes: strict({ asset_id: Uuid, path }),
    async run({ asset_id: id, path: to }, turn) {
      const { body } = await turn.klieg.assets.download(id, { signal: turn.signal });
      return { path: await write(turn, to, body) };
    },
  }),
  tool({
    name: "export_composition",
    title: "Export a composition's timeline",
    description:
      "Writes a ZIP of the timeline for an editor into the folder: fcpxml for Premiere Pro and " +
      "DaVinci Resolve, aejsx for After Effects.",
    takes: strict({
      composition_id: Uuid,
      format: Type.Enum([...exportFormats]),
      path,
    }),
    async run({ composition_id: id, format, path: to }, turn) {
      const { body } = await turn.klieg.compositions.export(id, format, { signal: turn.signal });
      return { path: await write(turn, to, body) };
    },
  }),
];

function write({ folder }: Turn, path: string, body: Response["body"]): Promise<string> {
  if (folder === undefined || body === null)
    throw new KliegError("There is nothing to write, or no folder.", { status: 400 });
  return folder.write(path, body);
}
