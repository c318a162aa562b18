import { modalities } from "../../config/catalogue.ts";
import { type Static, type Type as T, Type } from "../../config/schema.ts";

export const Modality = Type.Enum([...modalities]);
export const Uuid = Type.String({ format: "uuid" });
export const Timestamp = Type.String({ format: "date-time" });

/** In answers a nullable member may also be absent. */
export function nullable<S extends T.TSchema>(schema: S) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}

/** An object that takes no unknown member; one with a title is published under that name. */
export function strict<P extends T.TProperties>(properties: P, title?: string) {
  return Type.Object(properties, {
    additionalProperties: false,
    ...(title === undefined ? {} : { title }),
  });
}

export type { Static };

let spelledMs = Number.NaN;
let spelled = "";

/** RFC 3339 UTC with milliseconds. The last one is remembered: a turn has one time. */
export function timestamp(atMs: number): string {
  if (atMs !== spelledMs) {
    spelled = new Date(atMs).toISOString();
    spelledMs = atMs;
  }
  return spelled;
}
