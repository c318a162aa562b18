import { type Static, Type } from "../config/schema.ts";
import { strict, Timestamp, Uuid } from "./common.ts";
import { DisplayName, Tags } from "./generation.ts";

const Sha256 = Type.String({ pattern: "^[0-9a-fA-F]{64}$" });

export const CreateUploadRequest = strict(
  {
    filename: Type.String({ minLength: 1, maxLength: 255 }),
    mime_type: Type.String({ minLength: 3, maxLength: 127 }),
    size_bytes: Type.Integer({ minimum: 1 }),
    checksum_sha256: Type.Optional(Sha256),
    display_name: Type.Optional(DisplayName),
    tags: Type.Optional(Tags),
  },
  "CreateUploadRequest",
);
export type CreateUploadRequest = Static<typeof CreateUploadRequest>;

/** Fields of `POST /assets` besides the file. */
export const DirectUploadFields = strict({
  display_name: Type.Optional(DisplayName),
  tags: Type.Optional(Tags),
  checksum_sha256: Type.Optional(Sha256),
});
export type DirectUploadFields = Static<typeof DirectUploadFields>;

/** The whole form of `POST /assets`, as the contract publishes it; parts are text, tags JSON. */
export const UploadForm = Type.Object(
  {
    file: Type.String({ contentMediaType: "application/octet-stream" }),
    display_name: Type.Optional(DisplayName),
    tags: Type.Optional(Type.String({ contentMediaType: "application/json" })),
    checksum_sha256: Type.Optional(Sha256),
  },
  { title: "UploadForm" },
);

const PartNumber = Type.Integer({ minimum: 1, maximum: 10_000 });

export const Upload = Type.Object(
  {
    id: Uuid,
    asset_id: Uuid,
    status: Type.Enum(["pending", "completed", "aborted", "expired"]),
    method: Type.Enum(["single", "multipart"]),
    url: Type.Optional(Type.String()),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    part_size: Type.Optional(Type.Integer()),
    part_count: Type.Optional(Type.Integer()),
    parts: Type.Optional(Type.Array(Type.Object({ part_number: PartNumber, url: Type.String() }))),
    uploaded_parts: Type.Optional(
      Type.Array(
        Type.Object({ part_number: PartNumber, etag: Type.String(), size_bytes: Type.Integer() }),
      ),
    ),
    expires_at: Timestamp,
  },
  { title: "Upload" },
);
export type Upload = Static<typeof Upload>;

export const UploadPartsRequest = strict(
  {
    part_numbers: Type.Array(PartNumber, { minItems: 1, maxItems: 100 }),
  },
  "UploadPartsRequest",
);
export type UploadPartsRequest = Static<typeof UploadPartsRequest>;

export const UploadParts = Type.Object(
  {
    parts: Type.Array(
      Type.Object({ part_number: PartNumber, url: Type.String(), expires_at: Timestamp }),
    ),
  },
  { title: "UploadParts" },
);

export const CompleteUploadRequest = strict(
  {
    parts: Type.Optional(
      Type.Array(strict({ part_number: PartNumber, etag: Type.String({ maxLength: 200 }) }), {
        maxItems: 10_000,
      }),
    ),
  },
  "CompleteUploadRequest",
);
export type CompleteUploadRequest = Static<typeof CompleteUploadRequest>;

export const AssetPatchRequest = strict(
  {
    display_name: Type.Optional(DisplayName),
    favorite: Type.Optional(Type.Boolean()),
    tags: Type.Optional(Tags),
  },
  "AssetPatchRequest",
);
export type AssetPatchRequest = Static<typeof AssetPatchRequest>;
