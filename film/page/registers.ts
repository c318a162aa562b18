/// <reference lib="dom" />

/**
 * Runs before any script of the author's: the places that compositions expect to find, as
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

/** The largest size at which a line is no wider than it may be. */
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
 * Glyphs are placed where their outlines say, as in HyperFrames, from the first text that a script
 * measures; emoji are pictures even where a font of letters has them. In a layer, so that every
 * rule of the author's comes before it.
 */
function layTextPrecisely(): void {
  const sheet = new CSSStyleSheet();
  const emoji = "html{font-variant-emoji:unicode}";
  sheet.replaceSync(`@layer klieg{html,body,*{text-rendering:geometricPrecision}${emoji}}`);
  document.adoptedStyleSheets = [sheet];
}

/**
 * HyperFrames' own packages ask for this name whether they are filmed, instead of played, and then
 * wrap the `seek` that they find. Only who asks gets one: it would look like an author's own.
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

/** What no film of the page shows; the film names it. */
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

// The film's own page, which is in a frame itself in a preview.
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
