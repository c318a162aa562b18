import { omitUndefined } from "../config/defined.ts";
import { modalities } from "../config/modalities.ts";
import { oneLinePattern } from "../config/one-line.ts";
import { type Type as T, Type } from "../config/schema.ts";

export const Modality = Type.Enum([...modalities], { title: "Modality" });
export const Uuid = Type.String({ format: "uuid" });
export const Timestamp = Type.String({ format: "date-time" });

/** A name of 1 to `maxLength` characters on one line. */
export function OneLine(maxLength: number) {
  return Type.String({ minLength: 1, maxLength, pattern: oneLinePattern });
}

/** Makes a member nullable; in answers such a member may also be absent. */
export function nullable<S extends T.TSchema>(schema: S) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}

/** An object that accepts no unknown members; one with a title is published under that name. */
export function strict<P extends T.TProperties>(properties: P, title?: string) {
  return Type.Object(properties, {
    additionalProperties: false,
    ...omitUndefined({ title }),
  });
}

/** Bytes that the paying account or organization has stored, and how many its plan allows. */
export const StorageUse = Type.Object({
  used_bytes: Type.Integer(),
  limit_bytes: nullable(Type.Integer()),
});
