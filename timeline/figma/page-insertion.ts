/** Writes clips of pictures into an `index.html`, before the end of its timeline's root. */
import { limits } from "../../config/limits.ts";
import type { FigmaImport } from "../../contract/figma.ts";
import { Excess, getChildren, isElement, parseTree, type TreeElement } from "../markup-tree.ts";
import type { ImageDraft } from "./figma-frame.ts";

export interface PageClip {
  /** Id of the clip, which is changed where the page has it already. */
  readonly id: string;
  readonly assetId: string;
  readonly layer: ImageDraft["layer"];
  readonly groupOpacity: number;
  readonly start: number;
  readonly seconds: number;
}

export interface InsertedPage {
  readonly page: string;
  /** All ids in the page. */
  readonly ids: ReadonlySet<string>;
  readonly warnings: readonly string[];
}

/** `end` is when the last of the import's layers ends. */
export function insertIntoPage(
  page: string | undefined,
  frame: FigmaImport["frame"],
  clips: readonly PageClip[],
  end: number,
): InsertedPage | { readonly fault: string } {
  const given = page ?? newPage(frame, Math.max(end, leastSeconds));
  const root = readRoot(given);
  if ("fault" in root) return root;
  const { ids } = root;
  const lines = clips.map((clip, at) => {
    const element = imageElement({ ...clip, id: freeId(clip.id, ids) }, root.lastTrack + 1 + at);
    return `  ${element}\n`;
  });
  return {
    page: given.slice(0, root.end) + lines.join("") + given.slice(root.end),
    ids,
    warnings: page === undefined ? [] : sizeWarnings(root, frame, end),
  };
}

/** Returns an id that is not used yet, and adds it to the used ones. */
export function freeId(id: string, used: Set<string>): string {
  let free = id;
  for (let number = 2; used.has(free); number++) free = `${id}-${number}`;
  used.add(free);
  return free;
}

/** Length of the shortest film, in seconds. */
const leastSeconds = 1;

interface Root {
  /** Offset at which the root's end tag begins. */
  readonly end: number;
  readonly width: number;
  readonly height: number;
  readonly seconds: number;
  readonly lastTrack: number;
  readonly ids: Set<string>;
}

function readRoot(page: string): Root | { readonly fault: string } {
  try {
    return findRoot(everyElement(parseTree(page)));
  } catch (failure) {
    if (failure instanceof Excess) return { fault: `index.html ${failure.message}` };
    throw failure;
  }
}

function findRoot(elements: readonly TreeElement[]): Root | { readonly fault: string } {
  const root = elements.find(
    (element) => getAttribute(element, "data-composition-id") !== undefined,
  );
  const place = root?.sourceCodeLocation;
  if (root === undefined || place === undefined || place === null)
    return { fault: "index.html has no timeline root" };
  const tracks = elements.map((element) => Number(getAttribute(element, "data-track-index") ?? 0));
  const ids = elements.flatMap((element) => getAttribute(element, "id") ?? []);
  return {
    end: place.endTag?.startOffset ?? place.endOffset,
    width: Number(getAttribute(root, "data-width")),
    height: Number(getAttribute(root, "data-height")),
    seconds: Number(getAttribute(root, "data-duration") ?? Number.NaN),
    lastTrack: Math.max(0, ...tracks.filter((track) => Number.isSafeInteger(track))),
    ids: new Set(ids),
  };
}

function everyElement(html: TreeElement | undefined): readonly TreeElement[] {
  const found: TreeElement[] = [];
  const next = html === undefined ? [] : [html];
  for (let at = next.pop(); at !== undefined; at = next.pop()) {
    found.push(at);
    next.push(...getChildren(at).filter(isElement).toReversed());
  }
  return found;
}

function getAttribute({ attrs }: TreeElement, name: string): string | undefined {
  return attrs.find((attribute) => attribute.name === name)?.value;
}

function sizeWarnings(root: Root, frame: FigmaImport["frame"], end: number): readonly string[] {
  const warnings: string[] = [];
  if (frame.width > root.width || frame.height > root.height) {
    const size = `${root.width} x ${root.height}`;
    warnings.push(`the frame is larger than the composition's ${size}; what is outside is cut off`);
  }
  if (end > root.seconds)
    warnings.push(`the film ends at ${root.seconds} s; the layers are there until ${end} s`);
  return warnings;
}

function newPage({ name, width, height, background_color }: FigmaImport["frame"], end: number) {
  const [wide, high] = [canvasEdge(width), canvasEdge(height)];
  const size = `width: ${wide}px; height: ${high}px`;
  const background = background_color ?? "#000000";
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>${escapeMarkup(name)}</title>
    <style>
      html, body { margin: 0; background: #000; }
      #main { position: relative; ${size}; overflow: hidden; background: ${background}; }
    </style>
  </head>
  <body>
    <div id="main" data-composition-id="main" data-start="0" data-duration="${end}"
      data-width="${wide}" data-height="${high}" data-no-timeline>
    </div>
  </body>
</html>
`;
}

function canvasEdge(edge: number): number {
  return Math.min(limits.capture.longEdgeMax, Math.max(16, Math.round(edge)));
}

/** Writes the element of a picture, which already contains its own opacity. */
function imageElement(clip: PageClip, track: number): string {
  const { id, assetId, layer, groupOpacity, start, seconds } = clip;
  const { x, y, width, height } = layer;
  const opacity = groupOpacity === 1 ? "" : ` opacity: ${Math.round(groupOpacity * 1e4) / 1e4};`;
  const box = `left: ${x}px; top: ${y}px; width: ${width}px; height: ${height}px;`;
  const times = `data-start="${start}" data-duration="${seconds}" data-track-index="${track}"`;
  const alt = escapeMarkup(layer.name);
  const named = `id="${id}" class="clip" alt="${alt}" data-asset-id="${assetId}"`;
  return `<img ${named} ${times} style="position: absolute; ${box}${opacity}">`;
}

function escapeMarkup(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
