/** Query parameters: each has a schema for the contract and a reader that checks its bounds. */
import { type Fault, Type } from "../../config/schema.ts";
import { RefusalError } from "../exchange/refusal-error.ts";

export interface Parameter<T> {
  readonly schema: Type.TSchema;
  /** Only for the published contract; `read` or the route refuses its absence. */
  readonly isRequired?: true;
  /** `text` is undefined when absent. A returned string is the detail of a fault. */
  readonly read: (text: string | undefined) => { readonly value: T } | string;
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>;
export type Values<P extends Parameters> = {
  readonly [Name in keyof P]: P[Name] extends Parameter<infer T> ? T : never;
};

/** Throws `RefusalError` with 400 that names each unknown or invalid parameter. */
export function readQuery(query: string, parameters: Parameters): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  if (parameters === anyParameters || (query === "" && parameters === noParameters)) return values;
  const given = new URLSearchParams(query);
  const faults: Fault[] = [];
  for (const name of new Set(given.keys()))
    if (!Object.hasOwn(parameters, name))
      faults.push({ pointer: `?${name}`, detail: "is not a known parameter" });
    else if (given.getAll(name).length > 1)
      faults.push({ pointer: `?${name}`, detail: "is given more than once" });
  for (const [name, { read }] of Object.entries(parameters)) {
    const result = read(given.get(name) ?? undefined);
    if (typeof result === "string") faults.push({ pointer: `?${name}`, detail: result });
    else values[name] = result.value;
  }
  if (faults.length > 0) throw new RefusalError({ code: "validation", faults });
  return values;
}

export const noParameters: Parameters = {};

/** For routes that read the query themselves, for example because it is signed. */
export const anyParameters: Parameters = {};

export function integer(min: number, max: number, otherwise: number): Parameter<number> {
  return {
    schema: Type.Integer({ minimum: min, maximum: max, default: otherwise }),
    read(text) {
      if (text === undefined) return { value: otherwise };
      const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max
        ? { value }
        : `must be a whole number from ${min} to ${max}`;
    },
  };
}

export function optionalText(maxLength: number): Parameter<string | undefined> {
  return {
    schema: Type.String({ maxLength }),
    read: (text) =>
      (text?.length ?? 0) > maxLength ? `has more than ${maxLength} characters` : { value: text },
  };
}

/** The stream's credential. The route itself answers 401 when it is absent. */
export const ticketParameter: Parameter<string | undefined> = {
  ...optionalText(256),
  isRequired: true,
};

export const optionalFlag: Parameter<boolean | undefined> = {
  schema: Type.Boolean(),
  read(text) {
    if (text === undefined) return { value: undefined };
    return text === "true" || text === "false"
      ? { value: text === "true" }
      : "must be true or false";
  },
};

/** Parses one value, or several separated by commas. */
export function parseSome<T extends string>(
  values: readonly T[],
): Parameter<readonly T[] | undefined> {
  return {
    schema: Type.String({ description: `One or more of ${values.join(", ")}.` }),
    read(text) {
      if (text === undefined) return { value: undefined };
      const chosen = text.split(",").map((part) => values.find((value) => value === part));
      const known = chosen.filter((value) => value !== undefined);
      return known.length === chosen.length
        ? { value: known }
        : `must be one or more of ${values.join(", ")}, separated by commas`;
    },
  };
}

export function parseOne<T extends string>(values: readonly T[], otherwise: T): Parameter<T> {
  return {
    schema: Type.Enum([...values], { default: otherwise }),
    read(text) {
      const value = text === undefined ? otherwise : values.find((known) => known === text);
      return value === undefined ? `must be one of ${values.join(", ")}` : { value };
    },
  };
}

const instantPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/i;

/** A time as in RFC 3339, parsed to milliseconds since 1970. */
export const optionalInstant: Parameter<number | undefined> = {
  schema: Type.String({ format: "date-time" }),
  read(text) {
    if (text === undefined) return { value: undefined };
    const value = instantPattern.test(text) ? Date.parse(text) : Number.NaN;
    return Number.isNaN(value) ? "must be an RFC 3339 timestamp" : { value };
  },
};
