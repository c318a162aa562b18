/** Finds out which node of which file a request for an import means. */
import type { Fault } from "../../config/schema.ts";
import type { FigmaImportRequest } from "../../contract/figma.ts";

export interface FigmaPlace {
  readonly fileKey: string;
  /** Id of the node with colons, as the API names nodes. */
  readonly nodeId: string;
}

type Asked = Pick<FigmaImportRequest, "url" | "file_key" | "node_id">;

export function figmaPlace({ url, file_key: key, node_id: node }: Asked): FigmaPlace | Fault {
  if (url !== undefined) {
    if (key !== undefined) return { pointer: "/file_key", detail: "cannot accompany url" };
    if (node !== undefined) return { pointer: "/node_id", detail: "cannot accompany url" };
    return placeOfLink(url);
  }
  if (key === undefined) return { pointer: "/url", detail: "or file_key and node_id are needed" };
  if (node === undefined) return { pointer: "/node_id", detail: "is needed with file_key" };
  const nodeId = plainNodeId(node);
  return nodeId === undefined ? wrongNode("/node_id") : { fileKey: key, nodeId };
}

/** Reads a link; a branch is a file of its own: `/design/<file>/branch/<key>/<name>`. */
function placeOfLink(link: string): FigmaPlace | Fault {
  const url = URL.canParse(link) ? new URL(link) : undefined;
  const [, first = "", file = "", word = "", branch = ""] = url?.pathname.split("/") ?? [];
  const fileKey = word === "branch" ? branch : file;
  if (!/^(file|design)$/.test(first) || !/^[A-Za-z0-9]{1,128}$/.test(fileKey))
    return {
      pointer: "/url",
      detail: "is not a link to a file: https://…/design/<key>/…?node-id=1-2",
    };
  const nodeId = plainNodeId(url?.searchParams.get("node-id") ?? "");
  return nodeId === undefined ? wrongNode("/url") : { fileKey, nodeId };
}

/** Reads a node's id: `1-2`, `1:2`, or `I1:2;3:4` of an instance. */
function plainNodeId(id: string): string | undefined {
  return /^I?\d{1,20}[:-]\d{1,20}(;\d{1,20}[:-]\d{1,20}){0,8}$/.test(id)
    ? id.replaceAll("-", ":")
    : undefined;
}

function wrongNode(pointer: string): Fault {
  return { pointer, detail: "names no node such as 1-2 or 1:2" };
}
