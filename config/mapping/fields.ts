/**
 * What a mapping may refer to in a request, by kind of request: the fields after defaulting, by
 * their API names, and the assets by the names of their fields without `_asset_id`.
 */
import type { Modality } from "../modalities.ts";

/** Properties of a model that determine which fields its requests have. */
export interface ModelTraits {
  readonly modality: Modality;
  readonly operations: readonly string[];
  readonly options: Readonly<Record<string, readonly unknown[]>>;
}

export interface KnownFields {
  /** Whether a field has this name; `provider_options` counts too. */
  isValue(name: string): boolean;
  /** Whether a field has this name and can be converted to text. */
  isText(name: string): boolean;
  /** Whether this names an asset in one of its forms. */
  isAsset(name: string): boolean;
  /** Returns the values that the model lists for a field. */
  options(name: string): readonly string[];
}

export type AssetForm = "url" | "data" | "file";

export interface AssetName {
  readonly field: string;
  readonly form: AssetForm;
  /** Whether the name stands for all of the field's assets, or only for the first. */
  readonly isList: boolean;
}

interface RequestFields {
  readonly values: readonly string[];
  /** Asset fields, with whether each holds one asset or several. */
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

/** Lists the fields of a model. `hasFiles`: assets are uploaded to the provider and named. */
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

/** Parses an asset name such as `first_frame_url`, `reference_urls` or `image_data_urls`. */
export function readAssetName(name: string): AssetName | undefined {
  const [, field, one, many] = assetName.exec(name) ?? [];
  if (field === undefined) return undefined;
  if (one === "url" || one === "data" || one === "file") return { field, form: one, isList: false };
  return many === "urls" || many === "data_urls" || many === "files"
    ? { field, form: listForms[many], isList: true }
    : undefined;
}
