/**
 * Nodes of a design as the design host's API gives them (https://www.figma.com/developers/api),
 * read from JSON that may be wrong everywhere. What is no node is left out.
 */
import { limits } from "../../config/limits.ts";

export interface FigmaNode {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly isVisible: boolean;
  readonly opacity: number;
  /** Rotation in degrees, clockwise. */
  readonly rotation: number;
  readonly isBlended: boolean;
  /** Bounds of the node; undefined where nothing of it is on the canvas. */
  readonly box: Box | undefined;
  /** Paints of the node, bottom first, without invisible ones. */
  readonly fills: readonly FigmaPaint[];
  readonly hasStrokes: boolean;
  readonly hasEffects: boolean;
  readonly text: FigmaText | undefined;
  readonly children: readonly FigmaNode[];
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A paint, as `#rrggbb` or `#rrggbbaa` when not opaque; undefined for gradients and pictures. */
export interface FigmaPaint {
  readonly color: string | undefined;
}

export interface FigmaText {
  readonly characters: string;
  /** Style of the text: members of the API's type style. */
  readonly style: Fields;
  /** Whether parts of the text have styles of their own. */
  readonly isMixed: boolean;
  readonly hasLists: boolean;
}

/** Reads members of unknown types. */
export class Fields {
  private readonly members: Readonly<Record<string, unknown>>;

  constructor(value: unknown) {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    this.members = isObject ? (value as Record<string, unknown>) : {};
  }

  text(name: string, otherwise: string, charsMax = 200): string {
    const value = this.value(name);
    return typeof value === "string" ? value.slice(0, charsMax) : otherwise;
  }

  number(name: string, otherwise: number): number {
    const value = this.value(name);
    const isUsable = typeof value === "number" && Math.abs(value) <= 1e6;
    return isUsable ? value : otherwise;
  }

  flag(name: string, otherwise: boolean): boolean {
    const value = this.value(name);
    return typeof value === "boolean" ? value : otherwise;
  }

  list(name: string): readonly unknown[] {
    const value = this.value(name);
    return Array.isArray(value) ? value : [];
  }

  fields(name: string): Fields | undefined {
    const value = this.value(name);
    return typeof value === "object" && value !== null ? new Fields(value) : undefined;
  }

  /** Returns a member of any type. */
  value(name: string): unknown {
    return Object.hasOwn(this.members, name) ? this.members[name] : undefined;
  }
}

/** Thrown when there are more nodes than a frame of a film has, or they nest too deep. */
export class TooManyNodes extends Error {}

/** Reads a node and all below it. Throws `TooManyNodes`. */
export function readNode(value: unknown): FigmaNode {
  return new NodeReader().read(value, 0);
}

class NodeReader {
  private count = 0;

  read(value: unknown, depth: number): FigmaNode {
    this.count += 1;
    if (this.count > limits.figma.nodesMax || depth > limits.figma.depthMax)
      throw new TooManyNodes("a frame of too many nodes");
    const fields = new Fields(value);
    const type = fields.text("type", "");
    const children = fields.list("children").map((child) => this.read(child, depth + 1));
    return {
      id: fields.text("id", ""),
      name: fields.text("name", ""),
      type,
      isVisible: fields.flag("visible", true),
      opacity: toShare(fields.number("opacity", 1)),
      // The API gives angles in radians.
      rotation: roundValue((fields.number("rotation", 0) * 180) / Math.PI),
      isBlended: !/^(PASS_THROUGH|NORMAL)$/.test(fields.text("blendMode", "NORMAL")),
      box: placeBox(fields.fields("absoluteBoundingBox")),
      fills: readPaints(fields, "fills"),
      hasStrokes: readPaints(fields, "strokes").length > 0,
      hasEffects: visible(fields.list("effects")).length > 0,
      text: type === "TEXT" ? readText(fields) : undefined,
      children: children.filter(({ id }) => id !== ""),
    };
  }
}

function placeBox(fields: Fields | undefined): Box | undefined {
  const [x, y] = [fields?.number("x", Number.NaN), fields?.number("y", Number.NaN)];
  const width = fields?.number("width", Number.NaN) ?? Number.NaN;
  const height = fields?.number("height", Number.NaN) ?? Number.NaN;
  if (x === undefined || y === undefined || ![x, y].every(Number.isFinite)) return undefined;
  return width > 0 && height > 0 ? { x, y, width, height } : undefined;
}

function readText(fields: Fields): FigmaText {
  const overrides = fields.list("characterStyleOverrides");
  const lists = fields.list("lineTypes");
  return {
    characters: fields
      .text("characters", "", limits.figma.textCharsMax)
      .replaceAll(/[\u2028\u2029]/g, "\n"),
    style: fields.fields("style") ?? new Fields({}),
    isMixed: overrides.some((style) => style !== 0),
    hasLists: lists.some((line) => line !== "NONE"),
  };
}

function visible(values: readonly unknown[]): readonly Fields[] {
  return values.map((value) => new Fields(value)).filter((one) => one.flag("visible", true));
}

function readPaints(fields: Fields, name: string): readonly FigmaPaint[] {
  return visible(fields.list(name)).map((paint) => {
    if (paint.text("type", "") !== "SOLID") return { color: undefined };
    return { color: parseColor(paint.fields("color"), paint.number("opacity", 1)) };
  });
}

function parseColor(color: Fields | undefined, opacity: number): string {
  const hex = (share: number): string =>
    Math.round(255 * toShare(share))
      .toString(16)
      .padStart(2, "0");
  const [red, green, blue] = ["r", "g", "b"].map((name) => hex(color?.number(name, 0) ?? 0));
  const alpha = hex((color?.number("a", 1) ?? 1) * opacity);
  return `#${red}${green}${blue}${alpha === "ff" ? "" : alpha}`;
}

function toShare(value: number): number {
  return Math.min(1, Math.max(0, value));
}

/** Rounds to hundredths; less is noise of the host's arithmetic. */
export function roundValue(value: number): number {
  return Math.round(value * 100) / 100 + 0;
}
