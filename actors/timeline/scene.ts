import { Attributes as Reader, type Attributes as Written } from "./attributes.ts";
import { type Bundle, targetOf } from "./bundle.ts";
import type { Findings } from "./diagnostics.ts";
import { type Element, everyElement, hasClass, parseMarkup } from "./markup.ts";
import type { ClipKind } from "./model.ts";
import type { ClipEdit, Overlay } from "./overlay.ts";
import { declaredVariables, passedVariables, type Variables } from "./variables.ts";

/**
 * The compositions of a bundle as they are written, each with its clips, edits beside them; times
 * are not resolved yet. A file that a composition includes is read once for each host.
 */
export interface Scene {
  /** `""` for the root, else the host's key. */
  readonly key: string;
  readonly id: string;
  readonly path: string;
  readonly root: Element;
  readonly isMounted: boolean;
  readonly variables: Variables;
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
  /** What a host holds. */
  readonly inner: Scene | undefined;
}

interface Reading {
  readonly bundle: Bundle;
  /** Of the bundle's entry. */
  readonly document: Element;
  readonly overlay: Overlay | undefined;
  readonly findings: Findings;
  readonly deleted: Set<string>;
  readonly keys: string[];
  budget: number;
}

export interface Script {
  readonly root: Scene;
  /** Keys of the elements that the edits take out. */
  readonly deleted: readonly string[];
}

const clipsMax = 5_000;
const depthMax = 8;

export function readScript(
  bundle: Bundle,
  overlay: Overlay | undefined,
  findings: Findings,
): Script | undefined {
  const text = bundle.read(bundle.entry);
  const place = { path: bundle.entry };
  if (text === undefined) {
    findings.error("missing_entry", place, "is not in the bundle");
    return undefined;
  }
  const document = parseMarkup(text);
  const root = rootIn(document, false);
  if (root === undefined) {
    findings.error("missing_root", place, "has no element with data-composition-id");
    return undefined;
  }
  const deleted = new Set(overlay?.deleted ?? []);
  const keys: string[] = [];
  const reading: Reading = {
    bundle,
    document,
    overlay,
    findings,
    deleted,
    keys,
    budget: clipsMax,
  };
  const scene: Scene = {
    key: "",
    id: root.attributes["data-composition-id"] ?? "",
    path: bundle.entry,
    root,
    isMounted: false,
    variables: declaredVariables([document, root], bundle.entry, findings),
    clips: [],
  };
  walk(root, scene, "", 0, reading);
  if (reading.budget < 0)
    findings.error("too_many", place, `has more than ${clipsMax} timed elements`);
  return { root: scene, deleted: reading.keys };
}

/** The first composition of a document; a file that is included keeps it in a template. */
function rootIn(document: Element, inTemplates: boolean): Element | undefined {
  if (document.attributes["data-composition-id"] !== undefined) return document;
  for (const child of document.children) {
    if (child.tag === "template" && !inTemplates) continue;
    const found = rootIn(child, inTemplates);
    if (found !== undefined) return found;
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
  for (const child of parent.children) {
    if (child.tag === "template" || child.tag === "script" || child.tag === "style") continue;
    const kind = kindOf(child);
    const id = child.attributes["id"] ?? "";
    const isDeleted = id !== "" && reading.deleted.has(id);
    const isNamed = id !== "" && Object.hasOwn(reading.overlay?.clips ?? {}, id);
    if (isDeleted) reading.keys.push(`${prefix}${child.key}`);
    if (kind === undefined && !isNamed) walk(child, scene, prefix, depth, reading);
    else take(child, kind ?? plainKind(child), scene, prefix, depth, reading);
  }
}

function take(
  element: Element,
  kind: ClipKind,
  scene: Scene,
  prefix: string,
  depth: number,
  reading: Reading,
): void {
  reading.budget -= 1;
  if (reading.budget < 0) return;
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

function kindOf(element: Element): ClipKind | undefined {
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
  if (depth >= depthMax) {
    findings.error("nested_too_deep", place, `is more than ${depthMax} compositions deep`);
    return undefined;
  }
  const passed = passedVariables(host, outer.path, findings);
  const template = address === undefined ? templateFor(host, outer, reading) : undefined;
  if (address === undefined && template === undefined) {
    const own = declaredVariables([host], outer.path, findings);
    const scene: Scene = {
      key,
      root: host,
      path: outer.path,
      isMounted: false,
      clips: [],
      id: host.attributes["data-composition-id"] ?? "",
      variables: { ...outer.variables, ...own, ...passed },
    };
    walk(host, scene, prefix, depth + 1, reading);
    return scene;
  }
  const file =
    template === undefined
      ? includedFile(address ?? "", place, reading)
      : { path: outer.path, document: template };
  if (file === undefined) return undefined;
  const { path, document } = file;
  const root = rootIn(document, true) ?? contentOf(document);
  const own = declaredVariables([document, root], path, findings);
  const id = root.attributes["data-composition-id"];
  const wanted = host.attributes["data-composition-id"];
  if (id !== undefined && wanted !== undefined && id !== wanted)
    findings.warning("alias", place, `leads to the composition "${id}", not "${wanted}"`);
  const scene: Scene = {
    key,
    root,
    path,
    isMounted: true,
    clips: [],
    id: id ?? wanted ?? "",
    variables: { ...own, ...passed },
  };
  walk(root, scene, `${key}/`, depth + 1, reading);
  return scene;
}

/** An empty host without a file is filled by the entry's template of its name. */
function templateFor(
  host: Element,
  outer: Scene,
  { bundle, document }: Reading,
): Element | undefined {
  if (host.children.length > 0 || outer.path !== bundle.entry) return undefined;
  const name = `${host.attributes["data-composition-id"]}-template`;
  for (const element of everyElement(document))
    if (element.tag === "template" && element.attributes["id"] === name) return element;
  return undefined;
}

interface Included {
  readonly path: string;
  readonly document: Element;
}

function includedFile(
  address: string,
  place: { readonly path: string; readonly element: Element; readonly attribute: string },
  { bundle, findings }: Reading,
): Included | undefined {
  const target = targetOf(bundle, address, place.path);
  if (target.kind !== "file") {
    findings.error("missing_file", place, "is no file of the bundle");
    return undefined;
  }
  const text = bundle.read(target.path);
  if (text !== undefined) return { path: target.path, document: parseMarkup(text) };
  findings.error("missing_file", place, `leads to ${target.path}, which is not in the bundle`);
  return undefined;
}

/** A file without a root of its own: its template, else its body. */
function contentOf(document: Element): Element {
  for (const element of everyElement(document)) if (element.tag === "template") return element;
  return document.children.find(({ tag }) => tag === "body") ?? document;
}
