/** The composition of a film of blocks: the same markup that an author would write by hand. */
import type { PlacedBlock, PlacedBlocks } from "./block-timing.ts";

export interface BlockPage {
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly fit: "contain" | "cover";
  /** Colour as `#rrggbb`, seen behind clips that do not fill the canvas. */
  readonly background: string;
}

export function blockPage({ blocks, seconds }: PlacedBlocks, page: BlockPage): string {
  const { width, height, fps, background } = page;
  const size = `width: ${width}px; height: ${height}px`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Blocks</title>
    <style>
      html, body { margin: 0; background: #000; }
      #main { position: relative; ${size}; overflow: hidden; background: ${background}; }
      .clip { position: absolute; object-fit: fill; }
      .gap { position: absolute; inset: 0; background: #000; }
    </style>
  </head>
  <body>
    <div id="main" data-composition-id="main" data-start="0" data-duration="${time(seconds)}"
      data-width="${width}" data-height="${height}" data-fps="${fps}" data-no-timeline>
${blocks.flatMap((block, at) => elements(block, at + 1, page)).join("\n")}
    </div>
  </body>
</html>
`;
}

function elements(block: PlacedBlock, number: number, page: BlockPage): string[] {
  const { start, seconds, narration, gap } = block;
  const found = [clipElement(block, number, page)];
  if (narration !== undefined)
    found.push(
      element("audio", `narration-${number}`, [
        `data-asset-id="${narration.assetId}"`,
        `data-audio-role="narration"`,
        `data-playback-rate="${time(narration.rate)}"`,
        place(start, narration.seconds / narration.rate, 1),
      ]),
    );
  if (gap > 0 && page.background !== "#000000")
    found.push(element("div", `gap-${number}`, [`class="gap"`, place(start + seconds, gap, 0)]));
  return found;
}

function clipElement(block: PlacedBlock, number: number, page: BlockPage): string {
  const { clip, start, seconds, played } = block;
  const id = `clip-${number}`;
  const attributes = [
    `class="clip"`,
    `style="${boxStyle(clip, page)}"`,
    `data-asset-id="${clip.assetId}"`,
    place(start, seconds, 0),
  ];
  if (clip.kind === "image") return `      <img id="${id}" alt="" ${attributes.join(" ")}>`;
  return element("video", id, [
    "playsinline",
    ...attributes,
    `data-media-start="${time(clip.start)}"`,
    `data-media-end="${time(clip.start + played)}"`,
    `data-volume="${clip.volume}"`,
  ]);
}

function element(tag: string, id: string, attributes: readonly string[]): string {
  return `      <${tag} id="${id}" ${attributes.join(" ")}></${tag}>`;
}

function place(start: number, seconds: number, track: number): string {
  const times = `data-start="${time(start)}" data-duration="${time(seconds)}"`;
  return `${times} data-track-index="${track}"`;
}

/**
 * Places a clip on even pixels, by which films share their colours: such pictures can be laid over
 * each other without a page that paints them.
 */
function boxStyle(clip: PlacedBlock["clip"], { width, height, fit }: BlockPage): string {
  const scales = [width / clip.width, height / clip.height];
  const scale = fit === "contain" ? Math.min(...scales) : Math.max(...scales);
  const wide = evenEdge(clip.width * scale, width);
  const high = evenEdge(clip.height * scale, height);
  const left = 2 * Math.round((width - wide) / 4);
  const top = 2 * Math.round((height - high) / 4);
  return `left: ${left}px; top: ${top}px; width: ${wide}px; height: ${high}px`;
}

function evenEdge(edge: number, canvas: number): number {
  return Math.abs(edge - canvas) < 2 ? canvas : Math.max(2, 2 * Math.round(edge / 2));
}

/** Rounds to microseconds, which are finer than frames and samples. */
function time(seconds: number): number {
  return Number(seconds.toFixed(6));
}
