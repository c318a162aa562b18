/// <reference lib="dom" />

/**
 * Runs before any script of the author's, and defines the globals that compositions expect, as
 * HyperFrames v1 documents them.
 */
interface AnimeInstance {
  readonly duration: number;
  seek(ms: number): void;
  pause(): void;
}

interface FitOptions {
  readonly maxWidth: number;
  readonly baseFontSize?: number;
  readonly minFontSize?: number;
  readonly step?: number;
  readonly fontFamily?: string;
  readonly fontWeight?: string | number;
}

const timelines: Record<string, unknown> = {};

/** Finds the largest font size at which a line fits into its maximum width. */
function fitTextFontSize(text: string, options: FitOptions): { fontSize: number; fits: boolean } {
  const { maxWidth, baseFontSize = 78, minFontSize = 42, step = 2 } = options;
  const { fontFamily = "sans-serif", fontWeight = 900 } = options;
  const pen = document.createElement("canvas").getContext("2d");
  if (pen === null) return { fontSize: baseFontSize, fits: true };
  for (let fontSize = baseFontSize; fontSize >= minFontSize; fontSize -= step) {
    pen.font = `${fontWeight} ${fontSize}px ${fontFamily}`;
    if (pen.measureText(text).width <= maxWidth) return { fontSize, fits: true };
  }
  return { fontSize: minFontSize, fits: false };
}

function define(name: string, value: unknown): void {
  Object.defineProperty(window, name, { value, configurable: true, writable: true });
}

/**
 * Places glyphs exactly by their outlines, as HyperFrames does, from the first text that a script
 * measures on; emoji are pictures even where a text font has them. In a layer, so that every rule
 * of the author's overrides it.
 */
function layTextPrecisely(): void {
  const sheet = new CSSStyleSheet();
  const emoji = "html{font-variant-emoji:unicode}";
  sheet.replaceSync(`@layer klieg{html,body,*{text-rendering:geometricPrecision}${emoji}}`);
  document.adoptedStyleSheets = [sheet];
}

/**
 * HyperFrames' own packages read this name to learn whether they are filmed instead of played, and
 * then wrap the `seek` that they find. It is only defined once it is read: it would look like an
 * author's own.
 */
function bridgePackages(): void {
  let isAsked = false;
  Object.defineProperty(window, "__HF_VIRTUAL_TIME__", {
    configurable: true,
    get() {
      if (!isAsked && Reflect.get(window, "__hf") === undefined) {
        const bridge = { seek: () => undefined };
        define("__hf", bridge);
        define("__kliegBridge", bridge);
      }
      isAsked = true;
      return true;
    },
  });
  define("__HF_PAGE_SIDE_COMPOSITING__", true);
}

/** Elements made by scripts that no film of the page shows; the film reports them. */
const made: { videos: HTMLVideoElement[]; workerCanvases: number } = {
  videos: [],
  workerCanvases: 0,
};

function watchScripts(): void {
  const create = Document.prototype.createElement;
  Document.prototype.createElement = function (this: Document, name: string, options?: object) {
    const element = create.call(this, name, options);
    if (element instanceof HTMLVideoElement && made.videos.length < 50) made.videos.push(element);
    return element;
  } as typeof create;
  const transfer = HTMLCanvasElement.prototype.transferControlToOffscreen;
  HTMLCanvasElement.prototype.transferControlToOffscreen = function (this: HTMLCanvasElement) {
    made.workerCanvases += 1;
    return transfer.call(this);
  };
  define("__kliegMade", made);
}

// Only in the film's own page, which in a preview is itself in a frame.
if (window === window.top || "__kliegFilm" in window) {
  watchScripts();
  layTextPrecisely();
  bridgePackages();
}
define("__timelines", timelines);
define("__hyperframes", {
  fitTextFontSize,
  getVariables: () => ({ ...(Reflect.get(window, "__kliegVariables") as object) }),
});
// anime.js counts in milliseconds.
define("hyperframesAnime", {
  register(id: string, instance: AnimeInstance): void {
    const registry = Reflect.get(window, "__timelines") as Record<string, unknown>;
    registry[id] = {
      duration: () => instance.duration / 1_000,
      seek: (seconds: number) => instance.seek(seconds * 1_000),
      pause: () => instance.pause(),
    };
  },
});
