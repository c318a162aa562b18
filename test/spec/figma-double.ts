/** A design host that speaks the API of Figma and keeps a journal of its requests. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { GetFileNodesResponse, GetImagesResponse, Node } from "@figma/rest-api-spec";
import type { Test } from "tap";
import { simulatedMedia } from "../../providers/simulated/simulated-media.ts";

export interface AskedOfFigma {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
}

type Answer = (response: ServerResponse, asked: AskedOfFigma) => void;

export interface FigmaDouble {
  readonly url: string;
  readonly asked: readonly AskedOfFigma[];
  /** Answers that replace the usual ones, by the first part of the path behind `/v1`. */
  readonly answers: Partial<Record<"files" | "images" | "pictures", Answer>>;
  /** Nodes that the host cannot draw. */
  readonly undrawn: Set<string>;
}

export async function openFigma(t: Test, frame: Node): Promise<FigmaDouble> {
  const asked: AskedOfFigma[] = [];
  const answers: FigmaDouble["answers"] = {};
  const undrawn = new Set<string>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://figma.test");
    const query = Object.fromEntries(url.searchParams);
    const one = { path: url.pathname, query, headers: request.headers };
    asked.push(one);
    const kind = url.pathname.split("/")[2] as "files" | "images" | "pictures";
    (answers[kind] ?? usual[kind])(response, one);
  });
  const usual: Record<"files" | "images" | "pictures", Answer> = {
    files: (response, { query }) => {
      const id = query["ids"] ?? "";
      json(response, 200, nodesAnswer(id, id === frame.id ? frame : undefined));
    },
    images: (response, { query }) => {
      const ids = (query["ids"] ?? "").split(",");
      const images = ids.map((id) => [id, undrawn.has(id) ? null : `${url}/v1/pictures/${id}`]);
      json(response, 200, { err: null, images: Object.fromEntries(images) } as GetImagesResponse);
    },
    pictures: (response) => response.writeHead(200).end(simulatedMedia.image.bytes),
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked, answers, undrawn };
}

export function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Answers a request for nodes; a node that the file does not have is null. */
function nodesAnswer(id: string, document: Node | undefined): object {
  const maps = { components: {}, componentSets: {}, styles: {} };
  const found: GetFileNodesResponse = {
    name: "Kites",
    role: "viewer",
    lastModified: "2026-04-15T12:00:00Z",
    editorType: "figma",
    thumbnailUrl: "",
    version: "1",
    nodes: document === undefined ? {} : { [id]: { document, ...maps, schemaVersion: 0 } },
  };
  return document === undefined ? { ...found, nodes: { [id]: null } } : found;
}

type Shape = Readonly<Record<string, unknown>>;

/** Makes a node as the API gives it, with the usual value for each member that is not given. */
export function node(type: string, id: string, box: readonly number[], more: Shape = {}): Node {
  const [x, y, width, height] = box;
  const shape = {
    id,
    name: `${type.toLowerCase()} ${id}`,
    type,
    scrollBehavior: "SCROLLS",
    blendMode: "PASS_THROUGH",
    absoluteBoundingBox: { x, y, width, height },
    absoluteRenderBounds: { x, y, width, height },
    fills: [],
    strokes: [],
    effects: [],
    ...more,
  };
  return JSON.parse(JSON.stringify(shape)) as Node;
}

const plainStyle = {
  fontFamily: "Inter",
  fontPostScriptName: "Inter-Bold",
  fontWeight: 700,
  fontSize: 20,
  lineHeightPx: 24,
  letterSpacing: 0,
  textAutoResize: "WIDTH_AND_HEIGHT",
  textAlignHorizontal: "LEFT",
  textAlignVertical: "TOP",
};

export function text(
  id: string,
  box: readonly number[],
  characters: string,
  { style = {}, ...more }: Shape & { readonly style?: Shape } = {},
): Node {
  return node("TEXT", id, box, {
    characters,
    characterStyleOverrides: [],
    lineTypes: ["NONE"],
    fills: [solid(1, 0.5, 0)],
    style: { ...plainStyle, ...style },
    ...more,
  });
}

export function solid(r: number, g: number, b: number, opacity = 1): Shape {
  return { type: "SOLID", blendMode: "NORMAL", opacity, color: { r, g, b, a: 1 } };
}
