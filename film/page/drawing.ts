/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { even } from "../../timeline/model.ts";
import { ImageShadows } from "./image-shadows.ts";

/**
 * Lets a page draw itself: everything moves into a canvas whose children are laid out and painted
 * only on request (the HTML-in-canvas proposal), so a frame is read without the compositor.
 */
interface DrawingPen extends CanvasRenderingContext2D {
  drawElementImage(element: Element, x: number, y: number): void;
}

interface DrawnCanvas extends HTMLCanvasElement {
  requestPaint(): void;
}

interface PaintEvent extends Event {
  readonly changedElements?: readonly Element[];
}

interface Drawing {
  readonly canvas: DrawnCanvas;
  readonly pen: DrawingPen;
  readonly content: HTMLElement;
  /** Height in pixels of the strips in which the page is painted. */
  rows: number;
  shadows: ImageShadows | undefined;
  /** Whether anything changed since the last picture, whichever paint event noticed it first. */
  isChanged: boolean;
}

let drawing: Drawing | undefined;

/** Moves the page into a canvas; returns false when this browser does not support it. */
export function moveIntoCanvas(width: number, height: number): boolean {
  const canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d", { willReadFrequently: true, alpha: false });
  if (pen === null || !isDrawingPen(pen) || !isDrawnCanvas(canvas)) return false;
  canvas.width = even(width);
  canvas.height = even(height);
  canvas.setAttribute("layoutsubtree", "");
  const content = document.createElement("div");
  const { body } = document;
  const place = "position:absolute;left:0;top:0;overflow:hidden;";
  canvas.style.cssText = `${place}display:block;width:${canvas.width}px;height:${canvas.height}px`;
  content.style.cssText = `${place}width:${width}px;height:${height}px;background:${behind()}`;
  content.append(...body.childNodes);
  canvas.append(content);
  body.append(canvas);
  const rows = canvas.height;
  const own: Drawing = { canvas, pen, content, rows, shadows: undefined, isChanged: true };
  canvas.addEventListener("paint", (event: PaintEvent) => {
    if ((event.changedElements ?? [content]).length > 0) own.isChanged = true;
  });
  drawing = own;
  return true;
}

/** Decides once, in the page's first state, so that the whole film is drawn in the same way. */
export function prepareDrawing(): void {
  if (drawing === undefined) return;
  const { canvas, content } = drawing;
  drawing.shadows = ImageShadows.of(content);
  drawing.shadows.follow();
  drawing.rows = isCostly(content) ? canvas.height : Math.ceil(stripBytes / canvas.width / 4);
}

/**
 * Paints in strips: the browser draws on layers first, and has memory ready only for small ones;
 * whole pictures take three times as long.
 */
function paint({ canvas, pen, content, rows }: Drawing): void {
  for (let top = 0; top < canvas.height; top += rows) {
    pen.save();
    pen.beginPath();
    pen.rect(0, top, canvas.width, rows);
    pen.clip();
    pen.drawElementImage(content, 0, 0);
    pen.restore();
  }
}

const stripBytes = 900 * 1024;

/** Whether strips cost more than they save: each one repeats the blurring of blurred elements. */
function isCostly(content: HTMLElement): boolean {
  const all = [...content.querySelectorAll("*")];
  const isBlurred = (element: Element): boolean => {
    const { boxShadow, filter } = getComputedStyle(element);
    return boxShadow !== "none" || filter !== "none";
  };
  return all.length > stripElementsMax || all.some(isBlurred);
}

/** Limited, because every strip paints all elements again. */
const stripElementsMax = 500;

/** Films have even sizes; an added column or row repeats the last one. */
function smear({ canvas, pen, content }: Drawing): void {
  const { offsetWidth: width, offsetHeight: height } = content;
  if (canvas.width > width) pen.drawImage(canvas, width - 1, 0, 1, height, width, 0, 1, height);
  if (canvas.height > height)
    pen.drawImage(canvas, 0, height - 1, canvas.width, 1, 0, height, canvas.width, 1);
}

/** The background of the page itself, which is not in the canvas. */
function behind(): string {
  for (const element of [document.body, document.documentElement]) {
    const { background, backgroundColor, backgroundImage } = getComputedStyle(element);
    if (backgroundImage !== "none" || !isClear(backgroundColor)) return background;
  }
  return "#000";
}

/** Whether a computed colour is fully transparent. */
export function isClear(color: string): boolean {
  return /^(transparent|rgba\(.*, 0\))$/.test(color);
}

/** Draws the page as it looks now; `undefined` when it looks as in the last drawing. */
export async function drawPage(): Promise<VideoFrame | undefined> {
  if (drawing === undefined) throw new Error("the page is not in a canvas");
  const own = drawing;
  const { canvas } = own;
  own.shadows?.follow();
  const isChanged = await new Promise<boolean>((resolve) => {
    const draw = (): void => {
      if (own.isChanged) {
        paint(own);
        smear(own);
      }
      resolve(own.isChanged);
    };
    canvas.addEventListener("paint", draw, { once: true });
    canvas.requestPaint();
  });
  own.isChanged = false;
  return isChanged ? new VideoFrame(canvas, { timestamp: 0 }) : undefined;
}

function isDrawingPen(pen: CanvasRenderingContext2D): pen is DrawingPen {
  return "drawElementImage" in pen;
}

function isDrawnCanvas(canvas: HTMLCanvasElement): canvas is DrawnCanvas {
  return "requestPaint" in canvas;
}
