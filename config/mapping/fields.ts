/**
 * What a mapping may name of a request, by kind of request: the fields after defaulting, by their
 * names in the API, and the assets by the names of theirs without `_asset_id`.
 */
import type { Modality } from "../catalogue.ts";

/** Of a model, as far as it decides what its requests have. */
export interface ModelTraits {
  readonly modality: Modality;
  readonly operations: readonly string[];
  readonly options: Readonly<Record<string, readonly unknown[]>>;
}

export interface KnownFields {
  /** A field, or its place with `provider_options`. */
  isValue(name: string): boolean;
  /** A field that text can be made of. */
  isText(name: string): boolean;
  /** An asset in one of its forms. */
  isAsset(name: string): boolean;
  /** The values that the model lists for a field. */
  options(name: string): readonly string[];
}

export type AssetForm = "url" | "data" | "file";

export interface AssetName {
  readonly field: string;
  readonly form: AssetForm;
  /** All of the field's assets; else the first. */
  readonly isList: boolean;
}

interface RequestFields {
  readonly values: readonly string[];
  /** Those that hold one asset, and those that hold several. */
  readonly assets: Readonly<Record<string, "one" | "many">>;
}

const size = ["width", "height", "aspect_ratio", "resolution", "quality"];
const drawn = ["prompt", "negative_prompt", "seed", ...size, "provider_options"];
const length = ["duration_seconds", "seconds"];

const generated: Readonly<Record<Modality, RequestFields>> = {
  image: {
    values: [...drawn, "num_images", "output_format", "background"],
    assets: { reference: "many", mask: "one" },
  },
  video: {
    values: [...drawn, ...length, "audio", "camera_motion", "fps"],
    assets: { first_frame: "one", last_frame: "one", reference: "many", source_video: "one" },
  },
  audio: {
    values: [
      ...["task", "text", "prompt", "voice", "language", ...length, "lyrics", "speed"],
      ...["output_format", "seed", "provider_options"],
    ],
    assets: { reference: "one" },
  },
  three_d: {
    values: ["prompt", "texture", "target_polycount", "output_format", "seed", "provider_options"],
    assets: { image: "many" },
  },
};

const reworked: Readonly<Record<string, RequestFields>> = {
  background_removal: {
    values: ["background", "background_color", "output_format"],
    assets: { source: "one" },
  },
  restoration: {
    values: ["scale", "target_resolution", "denoise", "sharpen", "target_fps", "width", "height"],
    assets: { source: "one" },
  },
};

/** `hasFiles`: assets are uploaded to the provider, and named. */
export function listKnownFields(
  { modality, operations, options }: ModelTraits,
  hasFiles: boolean,
): KnownFields {
  const kinds = operations.map((operation) => reworked[operation] ?? generated[modality]);
  const isValue = (name: string) => kinds.some(({ values }) => values.includes(name));
  return {
    isValue,
    isText: (name) => isValue(name) && name !== "provider_options",
    isAsset(name) {
      const asset = readAssetName(name);
      if (asset === undefined || (asset.form === "file" && !hasFiles)) return false;
      return kinds.some(({ assets }) => {
        const count = Object.hasOwn(assets, asset.field) ? assets[asset.field] : undefined;
        return count === "many" || (count === "one" && !asset.isList);
      });
    },
    options: (name) => (options[name] ?? []).map(String),
  };
}

const assetName = /^(.+?)_(?:(url|data|file)|(urls|data_urls|files))$/;
const listForms = { urls: "url", data_urls: "data", files: "file" } as const;

/** `first_frame_url`, `reference_urls`, `image_data_urls` ... */
export function readAssetName(name: string): AssetName | undefined {
  const [, field, one, many] = assetName.exec(name) ?? [];
  if (field === undefined) return undefined;
  if (one === "url" || one === "data" || one === "file") return { field, form: one, isList: false };
  return many === "urls" || many === "data_urls" || many === "files"
    ? { field, form: listForms[many], isList: true }
    : undefined;
}
