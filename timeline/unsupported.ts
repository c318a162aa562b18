import { type Bundle, findTarget, has, type Target } from "./bundle.ts";
import type { Findings, Place } from "./diagnostics.ts";
import { mayHaveGround } from "./ground.ts";
import { type Element, everyElement } from "./markup.ts";
import type { MarkupFiles } from "./markup-files.ts";
import type { Composition } from "./model.ts";
import { mayRegister, speaksOfTimelines } from "./registration.ts";
import { warnOfScript } from "./script-faults.ts";
import { addressesIn, importsIn, readStylesheets, type Stylesheets } from "./stylesheets.ts";

/** Attributes of the format that change a film and are not supported here. */
const notDone: Readonly<Record<string, string>> = {
  "data-automation": "lanes of automation",
  "data-audio-effects": "chains of sound effects",
  "data-audio-group": "groups of sounds",
  "data-fx-chain": "chains of sound effects",
  "data-vfx-chain": "chains of picture effects",
  "data-hf-media-start-basis": "media starts in the film's time",
  "data-requires-webgpu": "WebGPU",
  "data-hdr": "high dynamic range",
};

const linkAttributes: Readonly<Record<string, string>> = {
  script: "src",
  link: "href",
  iframe: "src",
  img: "src",
  image: "href",
  source: "src",
};

/** Warns of everything in the bundle's markup that will be left out of the film, by name. */
export function warnOfUnsupported(
  bundle: Bundle,
  root: Element,
  files: MarkupFiles,
  compositions: readonly Composition[],
  findings: Findings,
): void {
  for (const path of new Set(compositions.map((composition) => composition.path))) {
    const markup = files.at(path);
    if (markup === undefined) continue;
    const elements = [...everyElement(markup.html)];
    for (const element of elements) {
      warnOfAttributes(element, path, findings);
      warnOfLinks(bundle, element, path, findings);
      warnOfModules(bundle, element, path, findings);
      warnOfScript(element, path, path !== bundle.entry, findings);
    }
    warnOfEmptyRegistry(bundle, elements, path, findings);
    const sheets = readStylesheets(bundle, markup.html, path);
    warnOfStyles(bundle, sheets, findings);
    if (path === bundle.entry && !mayHaveGround(markup.html, root, sheets))
      findings.addWarning(
        "no_background",
        { path, element: root },
        "has no background, nor has its page; the film is black behind it",
      );
  }
}

/** Warns of files that styles name; missing fonts and pictures change the film. */
function warnOfStyles(bundle: Bundle, { all }: Stylesheets, findings: Findings): void {
  for (const { path, element, text } of all)
    for (const address of [...importsIn(text), ...addressesIn(text)]) {
      const target = findTarget(bundle, address, path);
      warnOfTarget(bundle, target, { path, element }, "names", findings);
    }
}

function warnOfTarget(
  bundle: Bundle,
  target: Target,
  place: Place,
  verb: string,
  findings: Findings,
): void {
  const remedy = /^(script|link)$/.test(place.element?.tag ?? "")
    ? "; `klieg vendor <folder>` takes it into the bundle"
    : "";
  if (target.kind === "remote")
    findings.addWarning(
      "remote",
      place,
      `${verb} ${target.url.slice(0, 200)}, which is not fetched${remedy}`,
    );
  else if (target.kind === "file" && !has(bundle, target.path))
    findings.addWarning(
      "missing_file",
      place,
      `${verb} ${target.path}, which is not in the bundle`,
    );
}

/** Warns, unless a file that is not read here may hold the timeline. */
function warnOfEmptyRegistry(
  bundle: Bundle,
  elements: readonly Element[],
  path: string,
  findings: Findings,
): void {
  const scripts = elements.filter(({ tag }) => tag === "script");
  const texts = scripts.map(({ text, attributes: { src } }) => {
    const target = src === undefined ? undefined : findTarget(bundle, src, path);
    return target?.kind === "file" ? bundle.read(target.path) : text;
  });
  const element = scripts.find(({ text }) => speaksOfTimelines(text));
  if (element === undefined || texts.some((text) => text === undefined || mayRegister(text)))
    return;
  const says = "makes window.__timelines and registers nothing in it, so it moves nothing";
  findings.addWarning("no_timeline", { path, element }, says);
}

function warnOfAttributes(element: Element, path: string, findings: Findings): void {
  for (const [attribute, what] of Object.entries(notDone))
    if (element.attributes[attribute] !== undefined)
      findings.addWarning("unsupported", { path, element, attribute }, `is left out: ${what}`);
}

function warnOfLinks(bundle: Bundle, element: Element, path: string, findings: Findings): void {
  const attribute = linkAttributes[element.tag];
  const address = attribute && element.attributes[attribute];
  if (attribute === undefined || address === undefined || isHint(element)) return;
  const place = { path, element, attribute };
  warnOfTarget(bundle, findTarget(bundle, address, path), place, "leads to", findings);
}

/** Warns of what a module in the page imports from elsewhere, and where import maps lead to. */
function warnOfModules(bundle: Bundle, element: Element, path: string, findings: Findings): void {
  const kind = element.tag === "script" ? element.attributes["type"]?.toLowerCase() : undefined;
  const named = kind === "module" ? imported : kind === "importmap" ? mapped : undefined;
  if (named === undefined) return;
  for (const address of new Set([...element.text.matchAll(named)].map(([, found = ""]) => found)))
    warnOfTarget(bundle, findTarget(bundle, address, path), { path, element }, "names", findings);
}

/** Matches addresses elsewhere: of modules, and in the values of a map. */
const imported = /\b(?:from|import)\s*\(?\s*["'`]((?:https?:)?\/\/[^"'`\s]{1,2000})["'`]/g;
const mapped = /:\s*"((?:https?:)?\/\/[^"\s]{1,2000})"/g;

/** Whether a link loads nothing that is seen. */
function isHint({ tag, attributes }: Element): boolean {
  return tag === "link" && !/\b(stylesheet|preload)\b/i.test(attributes["rel"] ?? "");
}
