import { PortError } from "../../ports/port-error.ts";

const segment = "(?!\\.{1,2}(?:/|$))[A-Za-z0-9._-]{1,200}";
const objectKey = new RegExp(`^${segment}(?:/${segment}){0,7}$`);

export function isObjectKey(key: string): boolean {
  return objectKey.test(key);
}

/** Throws `PortError` unless `key` is one that every adapter of `Objects` can store. */
export function checkObjectKey(key: string): void {
  if (!isObjectKey(key)) throw new PortError(`${JSON.stringify(key)} is not an object key`, false);
}
