/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { keyAttribute } from "../../timeline/key-attribute.ts";
import type { Composition } from "../../timeline/model.ts";
import { mayRegister } from "../../timeline/registration.ts";
import { promptFaces } from "./fonts.ts";
import { ownAddress } from "./own-address.ts";
import type { FilmWindow } from "./plan.ts";
import { rebaseMarkup, sceneAttribute, takeStyles } from "./scoped-styles.ts";
import { findTimelineById, keepTimeline } from "./timelines.ts";

/**
 * Puts the markup of other files into their host elements: styles apply to that markup only,
 * scripts see it as their document, and each instance keeps the timeline that its scripts
 * registered.
 */
declare const window: FilmWindow;

export async function mount(composition: Composition, host: HTMLElement): Promise<void> {
  const response = await fetch(ownAddress(composition.path));
  const parsed = new DOMParser().parseFromString(await response.text(), "text/html");
  const content = takeContent(parsed, composition);
  for (const element of content.querySelectorAll(`[${keyAttribute}]`))
    element.setAttribute(keyAttribute, `${composition.key}/${element.getAttribute(keyAttribute)}`);
  rebaseMarkup(content, composition.path);
  const scripts = [...content.querySelectorAll("script")];
  const places = new Map(scripts.map((script) => [script, leavePlace(script)]));
  await takeStyles(content, composition);
  host.setAttribute(sceneAttribute, composition.key);
  const root = content.querySelector<HTMLElement>("[data-composition-id]");
  if (root !== null) sizeRoot(root);
  host.replaceChildren(content);
  if (scripts.some(({ text }) => mayRegister(text))) registering.add(composition.key);
  // With `flow-root`, the margins of its children do not move the root.
  if (root !== null && getComputedStyle(root).display === "block") root.style.display = "flow-root";
  sizeHost(host);
  bindVariables(host, composition);
  if (scripts.length > 0) await awaitFonts();
  for (const script of scripts) {
    await runScript(script, composition, host, places.get(script));
    if (script.src !== "") places.get(script)?.remove();
  }
}

/** Takes a script out; one that may use its own position leaves a placeholder there. */
function leavePlace(script: HTMLScriptElement): HTMLScriptElement | undefined {
  if (script.src === "" && !script.text.includes("currentScript")) {
    script.remove();
    return undefined;
  }
  const place = document.createElement("script");
  for (const { name, value } of script.attributes)
    if (!/^(src|type)$/i.test(name)) place.setAttribute(name, value);
  // No browser runs a script of this type.
  place.type = "application/x-klieg-place";
  place.text = script.text;
  script.replaceWith(place);
  return place;
}

const registering = new Set<string>();

/** Whether scripts of a composition's file may register a timeline. */
export function isRegistering(key: string): boolean {
  return registering.has(key);
}

/** Loads fonts of the markup that was just inserted; its scripts may measure text. */
async function awaitFonts(): Promise<void> {
  const fonts = promptFaces().filter(({ status }) => status === "unloaded");
  await Promise.allSettled(fonts.map((font) => font.load()));
}

/** The page's template for the host, or another file's first template; otherwise the body. */
function takeContent(parsed: Document, { id, path }: Composition): DocumentFragment {
  const content = document.createDocumentFragment();
  const isOwn = location.pathname === new URL(ownAddress(path)).pathname;
  if (!isOwn) content.append(...parsed.head.querySelectorAll("style,link,script"));
  const name = isOwn ? `#${CSS.escape(`${id}-template`)}` : "template";
  const template = parsed.querySelector<HTMLTemplateElement>(name);
  content.append(...(template === null ? parsed.body.childNodes : [template.content]));
  return document.importNode(content, true);
}

function sizeRoot(root: HTMLElement): void {
  const { width, height } = root.dataset;
  root.style.width = width === undefined ? "100%" : `${Number(width)}px`;
  root.style.height = height === undefined ? "100%" : `${Number(height)}px`;
  if (root.id !== "") keepOut(root.id);
}

/** All files use the same root id, so the page's rules for its own root must skip the others. */
const keptOut = new Set<string>();

function keepOut(id: string): void {
  if (keptOut.has(id)) return;
  keptOut.add(id);
  const name = new RegExp(`#${CSS.escape(id).replaceAll("\\", "\\\\")}(?![\\w-])`, "g");
  const own = `$&:not(:where([${sceneAttribute}] *))`;
  const narrow = (rules: CSSRuleList): void => {
    for (const rule of rules) {
      if (rule instanceof CSSStyleRule && name.test(rule.selectorText))
        rule.selectorText = rule.selectorText.replace(name, own);
      else if (rule instanceof CSSGroupingRule && !rule.cssText.startsWith("@scope"))
        narrow(rule.cssRules);
    }
  };
  for (const sheet of document.styleSheets) narrow(sheet.cssRules);
}

/** A composition without a size of its own gets the size that it declares. */
function sizeHost(host: HTMLElement): void {
  const inner = host.querySelector<HTMLElement>("[data-width][data-height]") ?? host;
  const width = host.dataset["width"] ?? inner.dataset["width"];
  const height = host.dataset["height"] ?? inner.dataset["height"];
  const style = getComputedStyle(host);
  // Scenes are stacked over each other; elements in an author's layout stay in place.
  const isScene = host.parentElement?.hasAttribute("data-composition-id") === true;
  const place = isScene ? { position: "absolute", left: "0", top: "0" } : { position: "relative" };
  if (style.position === "static") Object.assign(host.style, place);
  if (width !== undefined && host.offsetWidth === 0) host.style.width = `${Number(width)}px`;
  if (height !== undefined && host.offsetHeight === 0) host.style.height = `${Number(height)}px`;
}

export function bindVariables(root: HTMLElement, { variables }: Composition): void {
  for (const [name, value] of Object.entries(variables))
    if (typeof value === "string" || typeof value === "number")
      root.style.setProperty(`--${name}`, String(value));
  for (const element of root.querySelectorAll<HTMLElement>("[data-var-text]")) {
    const value = variables[element.dataset["varText"] ?? ""];
    if (value === undefined || value === null) continue;
    const text = [...element.childNodes].find((node) => node.nodeType === Node.TEXT_NODE);
    for (const node of [...element.childNodes])
      if (node.nodeType === Node.TEXT_NODE && node !== text) node.remove();
    if (text === undefined) element.prepend(String(value));
    else text.textContent = String(value);
  }
  for (const element of root.querySelectorAll<HTMLElement>("[data-var-src]")) {
    const value = variables[element.dataset["varSrc"] ?? ""];
    const address =
      typeof value === "object" && value !== null && "url" in value ? value.url : value;
    if (typeof address === "string" && address !== "") element.setAttribute("src", address);
  }
}

async function runScript(
  script: HTMLScriptElement,
  composition: Composition,
  host: HTMLElement,
  place: HTMLScriptElement | undefined,
): Promise<void> {
  const isPlain = script.type === "" || /^(text|application)\/javascript$/.test(script.type);
  if (script.src !== "" || !isPlain) {
    await loadScript(script, place);
    return;
  }
  const before = findTimelineById(composition.id);
  const outer = window.__hyperframes;
  const own = { ...(typeof outer === "object" && outer) };
  window.__hyperframes = { ...own, getVariables: () => ({ ...composition.variables }) };
  let currentScript = place ?? null;
  const scoped = createDocument(host, () => currentScript);
  try {
    inContext(host, () => new Function("document", script.text)(scoped));
  } catch (fault) {
    globalThis.reportError(fault);
  }
  currentScript = null;
  window.__hyperframes = outer;
  const made = findTimelineById(composition.id);
  if (made !== undefined && made !== before) keepTimeline(composition.key, made);
}

/** Addresses of libraries, each of which is loaded once, however many hosts ask for it. */
const loaded = new Set<string>();

function loadScript(
  script: HTMLScriptElement,
  place: HTMLScriptElement | undefined,
): Promise<void> {
  const address = script.src.replace(/[?&]klieg-from=[^#]*/, "");
  const isKnown = [...document.scripts].some(({ src }) => src === address) || loaded.has(address);
  if (script.src !== "" && isKnown) return Promise.resolve();
  if (script.src !== "") loaded.add(address);
  const copy = document.createElement("script");
  for (const { name, value } of script.attributes) copy.setAttribute(name, value);
  copy.text = script.text;
  return new Promise((resolve) => {
    copy.addEventListener("load", () => {
      document.head.append(copy);
      resolve();
    });
    copy.addEventListener("error", () => resolve());
    // Inserted at its place, because the script may look for its own position while it runs.
    if (place === undefined) document.head.append(copy);
    else place.before(copy);
    if (script.src === "" && script.type !== "module") resolve();
    window.__kliegClock.soon(resolve, 5_000);
  });
}

interface Gsap {
  context(run: () => void, scope: Element): unknown;
}

/** GSAP resolves selectors below the scope of its context. */
function inContext(host: HTMLElement, run: () => void): void {
  const gsap: unknown = Reflect.get(window, "gsap");
  if (hasContext(gsap)) gsap.context(run, host);
  else run();
}

function hasContext(value: unknown): value is Gsap {
  const isThing = (typeof value === "object" || typeof value === "function") && value !== null;
  return isThing && "context" in value && typeof value.context === "function";
}

/** A view of the page's document whose look-ups search the instance's own elements first. */
function createDocument(
  host: HTMLElement,
  currentScript: () => HTMLScriptElement | null,
): Document {
  const lookups: Readonly<Record<string, unknown>> = {
    querySelector: (selector: string) =>
      host.querySelector(selector) ?? (host.matches(selector) ? host : null),
    querySelectorAll: (selector: string) => host.querySelectorAll(selector),
    getElementById: (id: string) => host.querySelector(`#${CSS.escape(id)}`),
    getElementsByClassName: (name: string) => host.getElementsByClassName(name),
    getElementsByTagName: (name: string) => host.getElementsByTagName(name),
  };
  return new Proxy(document, {
    get(real, name) {
      if (name === "currentScript") return currentScript();
      if (typeof name === "string" && Object.hasOwn(lookups, name)) return lookups[name];
      const value: unknown = Reflect.get(real, name, real);
      return typeof value === "function" ? value.bind(real) : value;
    },
    set: (real, name, value) => Reflect.set(real, name, value, real),
  });
}
