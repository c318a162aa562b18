/** The header lines of a request, combined by name (RFC 9110, section 5.3). */

/** Headers that may occur once only, since a proxy may have evaluated the other line. */
const singletons: ReadonlySet<string> = new Set([
  "authorization",
  "content-type",
  "host",
  "idempotency-key",
  "x-share-password",
]);

export class FieldLines {
  /** Headers by lower-case name; lines with the same name are one list, in order of arrival. */
  readonly headers: Record<string, string> = {};
  bytes = 0;
  /** Number of lines that define where the body ends. */
  framings = 0;
  /** Name of a header that was repeated although it may occur once only. */
  repeated: string | undefined;

  add(name: string, value: string): void {
    this.bytes += name.length + value.length + 4;
    if (name === "content-length" || name === "transfer-encoding") this.framings++;
    if (!Object.hasOwn(this.headers, name)) this.headers[name] = value;
    else if (singletons.has(name)) this.repeated = name;
    else this.headers[name] += `${name === "cookie" ? "; " : ", "}${value}`;
  }
}
