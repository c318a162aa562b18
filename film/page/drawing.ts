/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { even } from "../../timeline/model.ts";
import { ImageShadows } from "./image-shadows.ts";

/**
 * The page draws itself: everything moves into a canvas whose children are laid out and painted
 * only when asked for (the HTML-in-canvas proposal), so a frame is read without the compositor.
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
  /** Of a strip that is painted at a time. */
  rows: number;
  shadows: ImageShadows | undefined;
  /** Whether anything changed since the last picture, noticed by whichever paint came first. */
  isChanged: boolean;
}

let drawing: Drawing | undefined;

/** False when this browser cannot do it. */
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

/** Once a page that draws itself looks as it begins, so that all of a film draw in one way. */
export function prepareDrawing(): void {
  if (drawing === undefined) return;
  const { canvas, content } = drawing;
  drawing.shadows = ImageShadows.of(content);
  drawing.shadows.follow();
  drawing.rows = isCostly(content) ? canvas.height : Math.ceil(stripBytes / canvas.width / 4);
}

/**
 * In strips: the browser draws on layers first, and has memory at hand only for small ones; whole
 * pictures take three times as long.
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

/** Whether strips cost more than they save: what is blurred is blurred anew in each. */
function isCostly(content: HTMLElement): boolean {
  const all = [...content.querySelectorAll("*")];
  const isBlurred = (element: Element): boolean => {
    const { boxShadow, filter } = getComputedStyle(element);
    return boxShadow !== "none" || filter !== "none";
  };
  return all.length > stripElementsMax || all.some(isBlurred);
}

/** Each strip is given all of them. */
const stripElementsMax = 500;

/** Films have even sizes; what is added is like the last column and row. */
function smear({ canvas, pen, content }: Drawing): void {
  const { offsetWidth: width, offsetHeight: height } = content;
  if (canvas.width > width) pen.drawImage(canvas, width - 1, 0, 1, height, width, 0, 1, height);
  if (canvas.height > height)
    pen.drawImage(canvas, 0, height - 1, canvas.width, 1, 0, height, canvas.width, 1);
}

/** What the page itself has as a background; it is not in the canvas. */
function behind(): string {
  for (const element of [document.body, document.documentElement]) {
    const { background, backgroundColor, backgroundImage } = getComputedStyle(element);
    if (backgroundImage !== "none" || !isClear(backgroundColor)) return background;
  }
  return "#000";
}

/** Whether a computed colour leaves all behind it to be seen. */
export function isClear(color: string): boolean {
  return /^(transparent|rgba\(.*, 0\))$/.test(color);
}

/** The page as it looks now; `undefined` when that is as it was drawn last. */
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
