/** Tools for generated and uploaded assets, and for share links to them. */

import { Type } from "../../config/schema.ts";
import { strict, Uuid } from "../../contract/common.ts";
import { CreateShareRequest } from "../../contract/share.ts";
import { readGivenFile } from "./agent-files.ts";
import { type Tool, tool } from "./tool.ts";

const { Optional } = Type;

/** Upload limit: an agent's program holds the whole file in memory, twice. */
const uploadBytesMax = 8 * 1_048_576;
const base64CharsMax = Math.ceil(uploadBytesMax / 3) * 4;

const target = {
  target: Type.Enum(["renders", "assets"], { description: "What the id refers to." }),
  id: Uuid,
};

export const assetTools: readonly Tool[] = [
  tool({
    name: "list_assets",
    title: "List assets",
    description: "Assets that were made or uploaded, newest first.",
    isReadOnly: true,
    takes: strict({
      limit: Optional(Type.Integer({ minimum: 1, maximum: 100 })),
      cursor: Optional(Type.String({ description: "next_cursor of the previous page." })),
      modality: Optional(
        Type.String({
          description: "One or more of image, video, audio, three_d, separated by commas.",
        }),
      ),
      q: Optional(Type.String({ description: "Text that the name or the prompt contains." })),
    }),
    run: (given, { klieg, signal }) => klieg.assets.list(given, { signal }),
  }),
  tool({
    name: "get_asset",
    title: "Read an asset",
    description: "An asset with a fresh, time-limited link to its bytes.",
    isReadOnly: true,
    takes: strict({ asset_id: Uuid }),
    run: ({ asset_id: id }, { klieg, signal }) => klieg.assets.get(id, { signal }),
  }),
  tool({
    name: "view_asset",
    title: "Look at an asset",
    description:
      "A small picture of an asset: of an image, a frame of a video, or the waveform of a sound.",
    isReadOnly: true,
    takes: strict({ asset_id: Uuid }),
    async run({ asset_id: id }, { klieg, signal }) {
      const asset = await klieg.assets.get(id, { signal });
      if (!asset.thumbnail_url) return asset;
      const answer = await klieg.download(asset.thumbnail_url, signal);
      const bytes = Buffer.from(await answer.arrayBuffer());
      const mediaType = answer.headers.get("content-type") ?? "image/jpeg";
      return { result: asset, picture: { base64: bytes.toString("base64"), mediaType } };
    },
  }),
  tool({
    name: "upload_asset",
    title: "Upload a file",
    description:
      "Stores a file as an asset for use in requests. Give it as a path in this program's " +
      "folder (over standard input and output), as a link, or as base64 of at most 8 MiB.",
    takes: strict({
      filename: Type.String({ minLength: 1, maxLength: 255 }),
      path: Optional(Type.String({ minLength: 1, maxLength: 512 })),
      url: Optional(Type.String({ maxLength: 2_048, description: "A public http or https link." })),
      base64: Optional(Type.String({ maxLength: base64CharsMax, description: "The bytes." })),
      display_name: Optional(Type.String({ minLength: 1, maxLength: 200 })),
    }),
    async run({ path, url, base64, ...request }, turn) {
      const file = await readGivenFile({ path, url, base64 }, turn);
      return turn.klieg.assets.upload(file, request, { signal: turn.signal });
    },
  }),
  tool({
    name: "share",
    title: "Make a share link",
    description:
      "Makes a link that shows a finished render or an asset to anyone who has it. It is shown this " +
      "once.",
    takes: strict({ ...target, ...CreateShareRequest.properties }),
    run: ({ target: of, id, ...request }, { klieg, signal }) =>
      klieg.shares.create(of, id, request, { signal }),
  }),
  tool({
    name: "list_shares",
    title: "List share links",
    description: "The active links of a render or an asset.",
    isReadOnly: true,
    takes: strict(target),
    run: ({ target: of, id }, { klieg, signal }) => klieg.shares.list(of, id, { signal }),
  }),
  tool({
    name: "revoke_share",
    title: "Revoke a share link",
    description: "Revokes a link, by its id or its token.",
    takes: strict({ ...target, link: Type.String({ minLength: 1, maxLength: 64 }) }),
    async run({ target: of, id, link }, { klieg, signal }) {
      await klieg.shares.revoke(of, id, link, { signal });
      return { revoked: link };
    },
  }),
];
