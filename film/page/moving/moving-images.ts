/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { ownAddress } from "../own-address.ts";
import type { FilmWindow } from "../plan.ts";
import { openDrawing } from "./moving-drawing.ts";
import { type MovingPicture, openPictures, typeByBytes } from "./moving-picture.ts";
import { changeSheets, changeStyles } from "./styled-pictures.ts";

/**
 * Animated images (GIF, SVG and the like) follow the film's time wherever the page shows them: each
 * of their pictures is put there as a file of its own.
 */
declare const window: FilmWindow;

interface Moving {
  readonly picture: MovingPicture;
  /** CSS variable that replaces the image's address in styles. */
  readonly variable: string;
  isStyled: boolean;
}

/** An element whose attribute is the picture's address. */
interface Use {
  readonly element: Element;
  readonly attribute: "src" | "href";
  readonly moving: Moving;
  shown: string;
}

/** An element on which variables are set, with their current values. */
interface Holder {
  readonly element: HTMLElement;
  readonly shown: Map<string, string>;
}

const picturesMax = 50;
const movingByUrl = new Map<string, Moving | undefined>();
const uses = new Map<Element, Use>();
const holders = new Map<Element, Holder>();
/** Images on display, kept loaded so that the browser has them ready for styles that name them. */
const kept = new Map<string, HTMLImageElement>();
const keptMax = 200;
/** What scripts have changed since the page was last searched for uses. */
const changed = { elements: false, sheets: false };
let observer: MutationObserver | undefined;

/** Takes over animated images requested so far; returns sentences about those that it cannot. */
export async function takeMovingImages(): Promise<readonly string[]> {
  const answer = await fetch(ownAddress(".klieg/moving"));
  const urls = (await answer.json()) as readonly string[];
  const news = urls.filter((url) => !movingByUrl.has(url));
  const sentences: string[] = [];
  for (const url of news) {
    const isRoom = movingByUrl.size < picturesMax;
    const picture = isRoom ? await openPicture(url).catch(() => undefined) : undefined;
    const variable = `--klieg-moving-${movingByUrl.size}`;
    movingByUrl.set(url, picture && { picture, variable, isStyled: false });
    if (picture === undefined)
      sentences.push(
        `${getName(url)} cannot be split into frames, so it does not follow the film's time`,
      );
  }
  if (news.length === 0) return sentences;
  changed.sheets = true;
  findUses();
  return sentences;
}

/** Shows their current pictures; `getSeconds` returns how long an element's clip has been there. */
export async function showMovingImages(getSeconds: (element: Element) => number): Promise<void> {
  if (movingByUrl.size === 0) return;
  followChanges();
  if (changed.elements || changed.sheets) findUses();
  // Awaited together, because each one waits for a frame of the browser.
  const shown: Promise<void>[] = [];
  for (const use of uses.values()) {
    const url = await use.moving.picture.urlAt(1_000 * getSeconds(use.element));
    if (url !== use.shown) shown.push(show(use, url));
  }
  const styled = [...movingByUrl.values()].filter((one) => one?.isStyled === true);
  const roots = window.__kliegClock.documents().map(({ documentElement }) => documentElement);
  const clips = document.querySelectorAll<HTMLElement>("[data-start]");
  for (const moving of styled)
    for (const element of [...roots, ...clips])
      if (moving !== undefined) shown.push(dress(element, moving, getSeconds));
  await Promise.all(shown);
  // The changes made here need no search.
  observer?.takeRecords();
}

function getName(url: string): string {
  return decodeURIComponent(url.slice(ownAddress(".").length));
}

async function openPicture(url: string): Promise<MovingPicture> {
  const answer = await fetch(url);
  const data = await answer.arrayBuffer();
  const type = typeByBytes(data);
  if (type !== "image/svg+xml") return openPictures(data, type);
  return openDrawing(new TextDecoder().decode(data));
}

/** Observes the page, because scripts may show the images elsewhere later. */
function followChanges(): void {
  const note = (records: readonly MutationRecord[]): void => {
    for (const { type, addedNodes } of records) {
      changed.elements = true;
      changed.sheets ||= type === "childList" && [...addedNodes].some(hasStyles);
    }
  };
  const isNew = observer === undefined;
  observer ??= new MutationObserver(note);
  note(observer.takeRecords());
  const attributeFilter = ["src", "srcset", "href", "style"];
  const options = { childList: true, subtree: true, attributes: true, attributeFilter };
  for (const place of window.__kliegClock.places()) {
    if (!followed.has(place)) {
      observer.observe(place, options);
      changed.sheets ||= !isNew;
    }
    followed.add(place);
  }
}

const followed = new WeakSet<Document | ShadowRoot>();

function hasStyles(node: Node): boolean {
  return (
    /^(style|link)$/i.test(node.nodeName) ||
    (isParent(node) && node.querySelector("style,link") !== null)
  );
}

function isParent(node: Node): node is Element {
  return "querySelector" in node;
}

function findUses(): void {
  const variableFor = (url: string): string | undefined => {
    const moving = movingByUrl.get(url);
    if (moving !== undefined) moving.isStyled = true;
    return moving?.variable;
  };
  for (const place of window.__kliegClock.places()) {
    for (const element of place.querySelectorAll("img,input[type=image],image")) findUse(element);
    changeStyles(place, variableFor);
    if (changed.sheets) changeSheets(place, variableFor);
  }
  for (const element of uses.keys()) if (!element.isConnected) uses.delete(element);
  changed.elements = false;
  changed.sheets = false;
}

function findUse(element: Element): void {
  const [attribute, url] = getImageAddress(element);
  const known = uses.get(element);
  if (known !== undefined && url === known.shown) return;
  const moving = movingByUrl.get(url);
  if (moving === undefined) {
    uses.delete(element);
    return;
  }
  for (const source of element.closest("picture")?.querySelectorAll("source") ?? [])
    source.remove();
  element.removeAttribute("srcset");
  uses.set(element, { element, attribute, moving, shown: "" });
}

function getImageAddress(element: Element): readonly ["src" | "href", string] {
  if (isImage(element))
    return ["src", element.currentSrc === "" ? element.src : element.currentSrc];
  if (isInput(element)) return ["src", element.src];
  const href = element.getAttribute("href") ?? element.getAttribute("xlink:href") ?? "";
  return ["href", URL.canParse(href, document.baseURI) ? new URL(href, document.baseURI).href : ""];
}

/** Also true for images of pages in frames, which have classes of their own. */
function isImage(element: Element): element is HTMLImageElement {
  return "currentSrc" in element;
}

function isInput(element: Element): element is HTMLInputElement {
  return "src" in element;
}

async function show(use: Use, url: string): Promise<void> {
  const { element, attribute } = use;
  if (!isImage(element)) await keep(url);
  use.shown = url;
  element.setAttribute(attribute, url);
  if (isImage(element)) await element.decode().catch(() => undefined);
}

async function dress(
  element: HTMLElement,
  { picture, variable }: Moving,
  getSeconds: (element: Element) => number,
): Promise<void> {
  const holder = holders.get(element) ?? { element, shown: new Map<string, string>() };
  holders.set(element, holder);
  const url = await picture.urlAt(1_000 * getSeconds(element));
  if (holder.shown.get(variable) === url) return;
  await keep(url);
  holder.shown.set(variable, url);
  element.style.setProperty(variable, `url("${url}")`);
}

/** Loads an image and keeps it; resolves when the browser has it. */
async function keep(url: string): Promise<void> {
  const [[first] = [""]] = kept;
  if (kept.size >= keptMax) kept.delete(first);
  const image = kept.get(url) ?? Object.assign(new Image(), { src: url });
  kept.set(url, image);
  if (image.complete) return;
  await new Promise<void>((resolve) => {
    for (const type of ["load", "error"])
      image.addEventListener(type, () => resolve(), { once: true });
  });
}
