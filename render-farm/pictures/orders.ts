import { type Static, Type } from "../../config/schema.ts";

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Pixels as interleaved bytes, with rows from the top. */
export interface Raster extends Size {
  readonly channels: number;
  readonly pixels: Uint8Array;
}

/** What to do with a picture, which is the file at `path` or else the message's body. */
export type PictureOrder = {
  readonly path?: string;
  /** Largest number of pixels; larger pictures are refused. */
  readonly pixelsMax: number;
} & (
  | { readonly kind: "inspect" | "look" | "png" }
  | { readonly kind: "thumbnail" | "raster"; readonly edge: number }
  | { readonly kind: "cover" | "pixels" | "corner"; readonly size: Size }
  | { readonly kind: "still"; readonly size: Size; readonly isTransparent: boolean }
  | {
      readonly kind: "encode";
      readonly raster: Omit<Raster, "pixels">;
      readonly format: "jpeg" | "png";
    }
);

const edge = Type.Integer({ minimum: 1 });

/** Describes the body of the answer; nothing is set when the picture cannot be decoded. */
export const PictureAnswer = Type.Object({
  isDecoded: Type.Boolean(),
  width: Type.Optional(edge),
  height: Type.Optional(edge),
  channels: Type.Optional(Type.Integer({ minimum: 1, maximum: 4 })),
  isBlack: Type.Optional(Type.Boolean()),
});
export type PictureAnswer = Static<typeof PictureAnswer>;
