import { limits } from "../config/limits.ts";
import { Attributes as Reader, type Attributes as Written } from "./attributes.ts";
import { type Bundle, findTarget } from "./bundle.ts";
import type { Findings } from "./diagnostics.ts";
import { type Element, everyElement, hasClass } from "./markup.ts";
import type { MarkupFiles } from "./markup-files.ts";
import type { ClipKind } from "./model.ts";
import type { ClipEdit, Overlay } from "./overlay.ts";
import {
  readDeclaredVariables,
  readPassedVariables,
  readWrittenLength,
  type Variables,
} from "./variables.ts";

/**
 * The compositions of a bundle as they are written, each with its clips, edits beside them; times
 * are not resolved yet. A file that a composition includes is read once for each host.
 */
export interface Scene {
  /** Key of the host; `""` for the root. */
  readonly key: string;
  readonly id: string;
  readonly path: string;
  readonly root: Element;
  readonly isMounted: boolean;
  readonly variables: Variables;
  /** Length in characters of the variables as written. */
  readonly variablesLength: number;
  readonly clips: WrittenClip[];
}

export interface WrittenClip {
  readonly key: string;
  readonly id: string;
  readonly kind: ClipKind;
  readonly path: string;
  readonly read: Written;
  readonly edit: ClipEdit;
  readonly isDeleted: boolean;
  /** Scene that a host holds. */
  readonly inner: Scene | undefined;
}

interface Reading {
  readonly bundle: Bundle;
  /** Templates of the bundle's entry, by id. */
  readonly templatesById: ReadonlyMap<string, Element>;
  readonly overlay: Overlay | undefined;
  readonly findings: Findings;
  readonly deleted: Set<string>;
  readonly keys: string[];
  readonly files: MarkupFiles;
  /** How many timed elements, and characters of markup and variables, may still be read. */
  clipsLeft: number;
  textLeft: number;
}

export interface Script {
  readonly root: Scene;
  /** Keys of the elements that the edits remove. */
  readonly deleted: readonly string[];
}

export function readScript(
  bundle: Bundle,
  files: MarkupFiles,
  overlay: Overlay | undefined,
  findings: Findings,
): Script | undefined {
  const markup = files.at(bundle.entry);
  const place = { path: bundle.entry };
  if (markup === undefined) {
    findings.error("missing_entry", place, "is not in the bundle");
    return undefined;
  }
  if (markup.excess !== undefined) {
    findings.error("too_many", place, markup.excess);
    return undefined;
  }
  const document = markup.html;
  const root = rootIn(document, false);
  if (root === undefined) {
    findings.error("missing_root", place, "has no element with data-composition-id");
    return undefined;
  }
  const deleted = new Set(overlay?.deleted ?? []);
  const left = {
    clipsLeft: limits.timeline.clipsMax,
    textLeft: limits.timeline.textMax - markup.length,
  };
  const reading: Reading = {
    bundle,
    files,
    templatesById: listTemplates(document),
    overlay,
    findings,
    deleted,
    keys: [],
    ...left,
  };
  const scene: Scene = {
    key: "",
    id: root.attributes["data-composition-id"] ?? "",
    path: bundle.entry,
    root,
    isMounted: false,
    variables: readDeclaredVariables([document, root], bundle.entry, findings),
    variablesLength: readWrittenLength(document, root),
    clips: [],
  };
  walk(root, scene, "", 0, reading);
  walkBeside(root, document, scene, reading);
  if (reading.clipsLeft < 0)
    findings.error("too_many", place, `has more than ${limits.timeline.clipsMax} timed elements`);
  if (reading.textLeft < 0)
    findings.error(
      "too_many",
      place,
      `includes more than ${limits.timeline.textMax} characters in all`,
    );
  return { root: scene, deleted: reading.keys };
}

/** Finds the first composition of a document; an included file keeps it in a template. */
function rootIn(document: Element, inTemplates: boolean): Element | undefined {
  if (document.attributes["data-composition-id"] !== undefined) return document;
  for (const child of document.children) {
    if (child.tag === "template" && !inTemplates) continue;
    const found = rootIn(child, inTemplates);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Reads the elements beside the root, which play in its time, as in HyperFrames: media are often
 * children of `body`. Other content there has no time of its own.
 */
function walkBeside(root: Element, document: Element, scene: Scene, reading: Reading): void {
  const around = new Set(elementsAround(root, document));
  for (const parent of around)
    for (const child of parent.children) {
      if (child === root || around.has(child) || unseen.has(child.tag)) continue;
      const before = scene.clips.length;
      visit(child, scene, "", 0, reading);
      const isHolder = scene.clips.length > before;
      if (isHolder || child.attributes["hidden"] !== undefined) continue;
      const place = { path: scene.path, element: child };
      const says = "stands outside the root and is shown for the whole film";
      reading.findings.addWarning("outside_root", place, says);
    }
}

const unseen = new Set(
  "head script style template link meta title base noscript source track".split(" "),
);

/** Returns the elements from the document down to the root's parent. */
function elementsAround(root: Element, from: Element): readonly Element[] | undefined {
  if (from === root) return [];
  for (const child of from.children) {
    const below = elementsAround(root, child);
    if (below !== undefined) return [from, ...below];
  }
  return undefined;
}

function walk(
  parent: Element,
  scene: Scene,
  prefix: string,
  depth: number,
  reading: Reading,
): void {
  for (const child of parent.children)
    if (child.tag !== "template" && child.tag !== "script" && child.tag !== "style")
      visit(child, scene, prefix, depth, reading);
}

function visit(
  element: Element,
  scene: Scene,
  prefix: string,
  depth: number,
  reading: Reading,
): void {
  const kind = getKind(element);
  const id = element.attributes["id"] ?? "";
  const isDeleted = id !== "" && reading.deleted.has(id);
  const isNamed = id !== "" && Object.hasOwn(reading.overlay?.clips ?? {}, id);
  if (isDeleted) reading.keys.push(`${prefix}${element.key}`);
  if (kind === undefined && !isNamed) walk(element, scene, prefix, depth, reading);
  else take(element, kind ?? plainKind(element), scene, prefix, depth, reading);
}

function take(
  element: Element,
  kind: ClipKind,
  scene: Scene,
  prefix: string,
  depth: number,
  reading: Reading,
): void {
  reading.clipsLeft -= 1;
  if (reading.clipsLeft < 0) return;
  const key = `${prefix}${element.key}`;
  const id = element.attributes["id"] ?? "";
  const edits = reading.overlay?.clips ?? {};
  scene.clips.push({
    key,
    id,
    kind,
    path: scene.path,
    read: new Reader(element, scene.path, reading.findings),
    edit: (Object.hasOwn(edits, id) ? edits[id] : undefined) ?? {},
    isDeleted: id !== "" && reading.deleted.has(id),
    inner:
      kind === "composition" ? innerScene(element, key, scene, prefix, depth, reading) : undefined,
  });
  if (kind !== "composition") walk(element, scene, prefix, depth, reading);
}

function getKind(element: Element): ClipKind | undefined {
  const { tag, attributes } = element;
  if (attributes["data-composition-src"] !== undefined) return "composition";
  if (attributes["data-composition-id"] !== undefined) return "composition";
  if (tag === "video" || tag === "audio") return tag;
  const isSwapped = ["data-color-grading", "data-asset-id"].some((name) => name in attributes);
  if (isSwapped && tag === "img") return "image";
  const isTimed =
    attributes["data-start"] !== undefined ||
    attributes["data-duration"] !== undefined ||
    attributes["data-end"] !== undefined ||
    hasClass(element, "clip");
  return isTimed ? plainKind(element) : undefined;
}

function plainKind({ tag }: Element): ClipKind {
  return tag === "img" ? "image" : "element";
}

function innerScene(
  host: Element,
  key: string,
  outer: Scene,
  prefix: string,
  depth: number,
  reading: Reading,
): Scene | undefined {
  const { findings } = reading;
  const address = host.attributes["data-composition-src"];
  const place = { path: outer.path, element: host, attribute: "data-composition-src" };
  if (depth >= limits.timeline.depthMax) {
    findings.error(
      "nested_too_deep",
      place,
      `is more than ${limits.timeline.depthMax} compositions deep`,
    );
    return undefined;
  }
  const passed = readPassedVariables(host, outer.path, findings);
  const template = address === undefined ? ownTemplate(host, outer, reading) : undefined;
  if (address === undefined && template === undefined) {
    const own = readDeclaredVariables([host], outer.path, findings);
    const scene: Scene = {
      key,
      root: host,
      path: outer.path,
      isMounted: false,
      clips: [],
      id: host.attributes["data-composition-id"] ?? "",
      variables: { ...outer.variables, ...own, ...passed },
      variablesLength: outer.variablesLength + readWrittenLength(host),
    };
    return walkInner(host, scene, prefix, depth + 1, reading);
  }
  const file = template ?? findIncludedFile(address ?? "", place, reading);
  if (file === undefined) return undefined;
  const { path, document } = file;
  const root = rootIn(document, true) ?? getContent(document);
  const own = readDeclaredVariables([document, root], path, findings);
  const id = root.attributes["data-composition-id"];
  const wanted = host.attributes["data-composition-id"];
  if (id !== undefined && wanted !== undefined && id !== wanted)
    findings.addWarning("alias", place, `leads to the composition "${id}", not "${wanted}"`);
  const scene: Scene = {
    key,
    root,
    path,
    isMounted: true,
    clips: [],
    id: id ?? wanted ?? "",
    variables: { ...own, ...passed },
    variablesLength: readWrittenLength(host, document, root),
  };
  return walkInner(root, scene, `${key}/`, depth + 1, reading);
}

function walkInner(
  root: Element,
  scene: Scene,
  prefix: string,
  depth: number,
  reading: Reading,
): Scene | undefined {
  reading.textLeft -= scene.variablesLength;
  if (reading.textLeft < 0) return undefined;
  walk(root, scene, prefix, depth, reading);
  return scene;
}

/** Fills an empty host without a file by the entry's template of its name, at the same cost. */
function ownTemplate(host: Element, outer: Scene, reading: Reading): Included | undefined {
  const { bundle, files, templatesById } = reading;
  if (host.children.length > 0 || outer.path !== bundle.entry) return undefined;
  const template = templatesById.get(`${host.attributes["data-composition-id"]}-template`);
  if (template === undefined) return undefined;
  reading.textLeft -= files.at(bundle.entry)?.length ?? 0;
  return reading.textLeft < 0 ? undefined : { path: outer.path, document: template };
}

function listTemplates(document: Element): ReadonlyMap<string, Element> {
  const templates = new Map<string, Element>();
  for (const element of everyElement(document)) {
    const { id } = element.attributes;
    if (element.tag === "template" && id !== undefined && !templates.has(id))
      templates.set(id, element);
  }
  return templates;
}

interface Included {
  readonly path: string;
  readonly document: Element;
}

function findIncludedFile(
  address: string,
  place: { readonly path: string; readonly element: Element; readonly attribute: string },
  reading: Reading,
): Included | undefined {
  const { bundle, files, findings } = reading;
  const target = findTarget(bundle, address, place.path);
  if (target.kind !== "file") {
    findings.error("missing_file", place, "is not a file of the bundle");
    return undefined;
  }
  const markup = files.at(target.path);
  if (markup === undefined) {
    findings.error("missing_file", place, `leads to ${target.path}, which is not in the bundle`);
    return undefined;
  }
  if (markup.excess !== undefined) {
    findings.error("too_many", place, `leads to ${target.path}, which ${markup.excess}`);
    return undefined;
  }
  reading.textLeft -= markup.length;
  return reading.textLeft < 0 ? undefined : { path: target.path, document: markup.html };
}

/** Returns the content of a file without a root of its own: its template, else its body. */
function getContent(document: Element): Element {
  for (const element of everyElement(document)) if (element.tag === "template") return element;
  return document.children.find(({ tag }) => tag === "body") ?? document;
}
