import { limits } from "../config/limits.ts";
import { type Element, getName } from "./markup.ts";

/** A fault, or a difference from what was written, by element and attribute. */
export interface Diagnostic {
  /** Severity; a timeline with an error is not rendered. */
  readonly severity: "error" | "warning";
  readonly code: DiagnosticCode;
  /** A sentence that names the element and the attribute. */
  readonly message: string;
  /** Path of the file in the bundle. */
  readonly path: string;
  readonly element?: string;
  readonly attribute?: string;
}

export type DiagnosticCode =
  | "alias"
  | "invalid_overlay"
  | "invalid_root"
  | "invalid_value"
  | "missing_entry"
  | "missing_file"
  | "missing_font"
  | "missing_root"
  | "nested_too_deep"
  | "no_background"
  | "no_duration"
  | "no_timeline"
  | "outside_root"
  | "overlap"
  | "remote"
  | "start_cycle"
  | "too_long"
  | "too_many"
  | "unknown_element"
  | "unknown_preset"
  | "unknown_reference"
  | "unsupported";

/** Collects diagnostics in the order of the document, equal ones once. */
export class Findings {
  private readonly byMessage = new Map<string, Diagnostic>();

  error(code: DiagnosticCode, place: Place, says: string): void {
    this.add("error", code, place, says);
  }

  addWarning(code: DiagnosticCode, place: Place, says: string): void {
    this.add("warning", code, place, says);
  }

  all(): readonly Diagnostic[] {
    return [...this.byMessage.values()];
  }

  private add(
    severity: Diagnostic["severity"],
    code: DiagnosticCode,
    place: Place,
    says: string,
  ): void {
    if (this.byMessage.size >= limits.timeline.findingsMax) return;
    const { path, element, attribute } = place;
    const name = element && getName(element);
    const subject = [name, attribute].filter((part) => part !== undefined).join(" ");
    const message = `${path}: ${subject === "" ? "" : `${subject} `}${says}`;
    if (this.byMessage.has(message)) return;
    this.byMessage.set(message, {
      severity,
      code,
      message,
      path,
      ...(name !== undefined && { element: name }),
      ...(attribute !== undefined && { attribute }),
    });
  }
}

export interface Place {
  readonly path: string;
  readonly element?: Element | undefined;
  readonly attribute?: string;
}
