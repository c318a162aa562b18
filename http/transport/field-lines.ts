/** The header lines of a request, gathered by name (RFC 9110, section 5.3). */

/** A second line of these is refused: a proxy may have looked at the other one. */
const singletons: ReadonlySet<string> = new Set([
  "authorization",
  "content-type",
  "host",
  "idempotency-key",
  "x-share-password",
]);

export class FieldLines {
  /** By lower-case name; lines of one name are one list, in the order in which they came. */
  readonly headers: Record<string, string> = {};
  bytes = 0;
  /** How many lines say where the body ends. */
  framings = 0;
  /** The name that came again although it may come once only. */
  repeated: string | undefined;

  add(name: string, value: string): void {
    this.bytes += name.length + value.length + 4;
    if (name === "content-length" || name === "transfer-encoding") this.framings++;
    if (!Object.hasOwn(this.headers, name)) this.headers[name] = value;
    else if (singletons.has(name)) this.repeated = name;
    else this.headers[name] += `${name === "cookie" ? "; " : ", "}${value}`;
  }
}
