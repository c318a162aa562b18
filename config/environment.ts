/**
 * Readers of one variable of the environment: a blank one counts as unset, and one that cannot be
 * used throws `SettingsError` with a sentence that says what to set.
 */
import { isNetwork } from "./network.ts";

/** A setting that cannot be used; the message is one sentence for the operator. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

export type Environment = Readonly<Record<string, string | undefined>>;

export function text(environment: Environment, name: string): string | undefined {
  const value = environment[name]?.trim();
  return value === "" ? undefined : value;
}

/** Parts with commas between; undefined when it is unset. */
export function list(environment: Environment, name: string): string[] | undefined {
  const parts = text(environment, name)?.split(",");
  return parts?.map((part) => part.trim());
}

export function integer(
  environment: Environment,
  name: string,
  otherwise: number,
  min: number,
  max: number,
): number {
  const value = text(environment, name);
  if (value === undefined) return otherwise;
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= min && number <= max))
    throw new SettingsError(
      `${name} is "${value}"; set it to a whole number from ${min} to ${max}.`,
    );
  return number;
}

export function choice<T extends string>(
  environment: Environment,
  name: string,
  values: readonly T[],
  otherwise: T,
): T {
  const value = text(environment, name);
  if (value === undefined) return otherwise;
  const found = values.find((candidate) => candidate === value);
  if (found === undefined)
    throw new SettingsError(`${name} is "${value}"; set it to one of ${values.join(", ")}.`);
  return found;
}

export function origin(environment: Environment, name: string): string | undefined {
  const url = httpUrl(environment, name);
  return url && new URL(url).origin;
}

/** Without slashes at its end. */
export function httpUrl(environment: Environment, name: string): string | undefined {
  const value = text(environment, name);
  if (value === undefined || (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)))
    return value?.replace(/\/+$/, "");
  throw new SettingsError(
    `${name} is "${value}"; set it to an HTTP or HTTPS origin such as http://127.0.0.1:8080.`,
  );
}

/** Links are made of it, and the service answers at the root of its origin. */
export function publicOrigin(environment: Environment, name: string): string | undefined {
  return bareOrigin(environment, name, ", and let the proxy serve Klieg at its root");
}

export function bareOrigin(
  environment: Environment,
  name: string,
  advice = "",
): string | undefined {
  const found = origin(environment, name);
  const { pathname, search, hash, username } = new URL(text(environment, name) ?? "http://unset");
  if (found === undefined || (pathname === "/" && search + hash + username === "")) return found;
  throw new SettingsError(`${name} contains more than an origin; set it to ${found}${advice}.`);
}

export function networks(environment: Environment, name: string): string[] {
  const found = list(environment, name) ?? [];
  for (const part of found)
    if (!isNetwork(part))
      throw new SettingsError(
        `${name} contains "${part}"; set it to comma-separated networks such as 10.0.0.0/8.`,
      );
  return found;
}

/** Exactly as browsers send them. */
export function origins(environment: Environment, name: string): string[] {
  const found = list(environment, name) ?? [];
  for (const part of found)
    if (!/^https?:/.test(part) || !URL.canParse(part) || new URL(part).origin !== part)
      throw new SettingsError(
        `${name} contains "${part}"; set it to comma-separated origins such as https://studio.example.`,
      );
  return found;
}
