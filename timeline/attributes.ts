import type { Findings } from "./diagnostics.ts";
import type { Element } from "./markup.ts";

/** Reads one element's timing attributes; unusable ones are left out with a warning. */
export class Attributes {
  readonly element: Element;
  readonly path: string;
  private readonly findings: Findings;

  constructor(element: Element, path: string, findings: Findings) {
    this.element = element;
    this.path = path;
    this.findings = findings;
  }

  text(name: string): string | undefined {
    const value = this.element.attributes[name]?.trim();
    return value === "" ? undefined : value;
  }

  has(name: string): boolean {
    return this.element.attributes[name] !== undefined;
  }

  number(name: string, least = -limit, most = limit): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = plainNumber(text);
    if (value === undefined) {
      this.warn("invalid_value", name, `is "${text.slice(0, 40)}", which is not a number`);
      return undefined;
    }
    if (value >= least && value <= most) return value;
    this.warn("invalid_value", name, `is ${value} and read as the nearest of ${least} to ${most}`);
    return Math.min(most, Math.max(least, value));
  }

  /** Reads a length, which is above 0. */
  span(name: string): number | undefined {
    const value = this.number(name);
    if (value === undefined || value > 0) return value;
    this.warn("invalid_value", name, `is ${value}, but a length must be above 0`);
    return undefined;
  }

  warn(code: "alias" | "invalid_value" | "unsupported", name: string, says: string): void {
    const place = { path: this.path, element: this.element, attribute: name };
    this.findings.addWarning(code, place, says);
  }
}

const limit = 86_400;
const digitsMax = 40;

export function plainNumber(text: string): number | undefined {
  if (text.length > digitsMax) return undefined;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,2})?$/i.test(text) ? Number(text) : undefined;
}
