import type { Bundle } from "./bundle.ts";
import { findTarget, has } from "./bundle.ts";
import type { Findings, Place } from "./diagnostics.ts";
import type { GradeEdit } from "./overlay.ts";

/** Changes of a picture's colours: the preset and the adjustments, then the table. */
export interface Grade {
  readonly adjust: Adjust;
  /** How much of the grade is mixed with the picture as it is, 0 to 1. */
  readonly intensity: number;
  /** Path of a .cube file in the bundle. */
  readonly lutPath: string | undefined;
}

export const adjustments = [
  "exposure",
  "contrast",
  "saturation",
  "temperature",
  "tint",
  "highlights",
  "shadows",
] as const;
export type Adjust = Readonly<Record<(typeof adjustments)[number], number>>;

const plain: Adjust = {
  exposure: 0,
  contrast: 0,
  saturation: 0,
  temperature: 0,
  tint: 0,
  highlights: 0,
  shadows: 0,
};

const presets: Readonly<Record<string, Partial<Adjust>>> = {
  none: {},
  neutral: {},
  warm: { temperature: 0.25, saturation: 0.05 },
  cool: { temperature: -0.25 },
  vivid: { saturation: 0.3, contrast: 0.12 },
  muted: { saturation: -0.35, contrast: -0.08 },
  mono: { saturation: -1 },
  noir: { saturation: -1, contrast: 0.35, shadows: -0.2 },
  vintage: { saturation: -0.2, temperature: 0.2, contrast: -0.1, shadows: 0.15 },
  cinematic: { contrast: 0.15, saturation: -0.1, temperature: -0.08, highlights: -0.1 },
  "clean-studio": { exposure: 0.06, contrast: 0.06, highlights: -0.08, shadows: 0.08 },
  "bright-pop": { exposure: 0.12, saturation: 0.2, contrast: 0.08 },
};

const known = new Set(["preset", "intensity", "adjust", "lut", "enabled", "colorSpace"]);

/** Reads the grade in `data-color-grading`; undefined when it is absent or unusable. */
export function readAuthoredGrade(
  text: string,
  variables: Readonly<Record<string, unknown>>,
  place: Place,
  findings: Findings,
): GradeEdit | undefined {
  const value = parse(text);
  if (value === undefined) {
    findings.addWarning("invalid_value", place, "is ignored: it is not a JSON object");
    return undefined;
  }
  const grade = resolveVariables(value, variables);
  if (grade["enabled"] === false) return undefined;
  for (const name of Object.keys(grade).filter((name) => !known.has(name)))
    findings.addWarning("unsupported", place, `has "${name.slice(0, 40)}", which is not supported`);
  const adjust = resolveVariables(grade["adjust"], variables);
  for (const name of Object.keys(adjust).filter((name) => !isAdjustment(name)))
    findings.addWarning("unsupported", place, `has adjust "${name.slice(0, 40)}", not supported`);
  const { preset, intensity, lut } = grade;
  const table = typeof lut === "string" ? lut : resolveVariables(lut, variables)["src"];
  const result: GradeEdit = {
    ...(typeof preset === "string" && { preset }),
    ...(typeof intensity === "number" && { intensity: clamp(intensity, 0, 1) }),
    ...(typeof table === "string" && { lut_path: table }),
  };
  for (const name of adjustments) {
    const amount = adjust[name];
    if (typeof amount === "number") result[name] = clamp(amount, -1, 1);
  }
  return result;
}

/** Combines two grades: the overlay's members replace the author's one by one. */
export function effectiveGrade(
  authored: GradeEdit | undefined,
  edit: GradeEdit | undefined,
  bundle: Bundle,
  place: Place,
  findings: Findings,
): Grade | undefined {
  if (authored === undefined && edit === undefined) return undefined;
  const grade = { ...authored, ...edit };
  const base = grade.preset === undefined ? {} : presets[grade.preset];
  if (base === undefined)
    findings.addWarning("unknown_preset", place, `has the unknown preset "${grade.preset}"`);
  const adjust = { ...plain, ...base };
  for (const name of adjustments) adjust[name] = clamp(adjust[name] + (grade[name] ?? 0), -1, 1);
  return {
    adjust,
    intensity: grade.intensity ?? 1,
    lutPath: readTable(grade, bundle, place, findings),
  };
}

function readTable(
  { lut_path: address }: GradeEdit,
  bundle: Bundle,
  place: Place,
  findings: Findings,
): string | undefined {
  if (address === undefined || address === "") return undefined;
  const target = findTarget(bundle, address, place.path);
  if (target.kind === "file" && has(bundle, target.path)) return target.path;
  findings.addWarning(
    "missing_file",
    place,
    `names the table ${address}, which is not in the bundle`,
  );
  return undefined;
}

function isAdjustment(name: string): boolean {
  return adjustments.some((known) => known === name);
}

/** Resolves members: `$name` or `${name}` stands for the composition's variable. */
function resolveVariables(
  value: unknown,
  variables: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const found = typeof member === "string" ? /^\$\{?([\w-]+)\}?$/.exec(member) : null;
      return [name, found?.[1] === undefined ? member : variables[found[1]]];
    }),
  );
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
