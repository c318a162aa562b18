/** Replaces a member of one of the browser's own objects. */
export function replace(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, configurable: true, writable: true });
}
