/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

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
  /** Whether anything changed since the last picture, noticed by whichever paint came first. */
  isChanged: boolean;
}

let drawing: Drawing | undefined;

/** False when this browser cannot do it. */
export function moveIntoCanvas(width: number, height: number): boolean {
  const canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d", { willReadFrequently: true, alpha: false });
  if (pen === null || !isDrawingPen(pen) || !isDrawnCanvas(canvas)) return false;
  canvas.width = width;
  canvas.height = height;
  canvas.setAttribute("layoutsubtree", "");
  const content = document.createElement("div");
  const { body } = document;
  const place = "position:absolute;left:0;top:0;overflow:hidden;";
  canvas.style.cssText = `${place}display:block;width:${width}px;height:${height}px`;
  content.style.cssText = `${place}width:${width}px;height:${height}px;background:${behind()}`;
  content.append(...body.childNodes);
  canvas.append(content);
  body.append(canvas);
  const own: Drawing = { canvas, pen, content, isChanged: true };
  canvas.addEventListener("paint", (event: PaintEvent) => {
    if ((event.changedElements ?? [content]).length > 0) own.isChanged = true;
  });
  drawing = own;
  return true;
}

/** What the page itself has as a background; it is not in the canvas. */
function behind(): string {
  for (const element of [document.body, document.documentElement]) {
    const { background, backgroundColor, backgroundImage } = getComputedStyle(element);
    const isClear =
      backgroundImage === "none" && /^(transparent|rgba\(.*, 0\))$/.test(backgroundColor);
    if (!isClear) return background;
  }
  return "#000";
}

/** The page as a JPEG in base64; `null` when it looks as it did when it was asked last. */
export async function drawPage(quality: number): Promise<string | null> {
  if (drawing === undefined) throw new Error("the page is not in a canvas");
  const own = drawing;
  const { canvas, pen, content } = own;
  const isChanged = await new Promise<boolean>((resolve) => {
    const draw = (): void => {
      if (own.isChanged) pen.drawElementImage(content, 0, 0);
      resolve(own.isChanged);
    };
    canvas.addEventListener("paint", draw, { once: true });
    canvas.requestPaint();
  });
  if (!isChanged) return null;
  own.isChanged = false;
  const blob = await new Promise<Blob | null>((resolve) =>
    canvas.toBlob(resolve, "image/jpeg", quality),
  );
  if (blob === null) throw new Error("the canvas gave no picture");
  return base64Of(new Uint8Array(await blob.arrayBuffer()));
}

interface Base64Bytes {
  toBase64(): string;
}

function base64Of(bytes: Uint8Array): string {
  if (hasBase64(bytes)) return bytes.toBase64();
  let text = "";
  for (let at = 0; at < bytes.length; at += 32_768)
    text += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  return btoa(text);
}

function hasBase64(bytes: Uint8Array): bytes is Uint8Array & Base64Bytes {
  return "toBase64" in bytes;
}

function isDrawingPen(pen: CanvasRenderingContext2D): pen is DrawingPen {
  return "drawElementImage" in pen;
}

function isDrawnCanvas(canvas: HTMLCanvasElement): canvas is DrawnCanvas {
  return "requestPaint" in canvas;
}
