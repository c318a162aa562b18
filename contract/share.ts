import { limits } from "../config/limits.ts";
import { oneLinePattern } from "../config/one-line.ts";
import { type Static, Type } from "../config/schema.ts";
import { nullable, strict, Timestamp, Uuid } from "./common.ts";

const { expiresInDaysMax, nameMax, passwordMin, passwordMax } = limits.shares;

export const shareLinkKinds = ["render", "asset"] as const;
export type ShareLinkKind = (typeof shareLinkKinds)[number];
const Kind = Type.Enum([...shareLinkKinds]);

/** Body of `POST /renders/{id}/share` and `POST /assets/{id}/share`. */
export const CreateShareRequest = strict(
  {
    expires_in_days: Type.Optional(Type.Integer({ minimum: 1, maximum: expiresInDaysMax })),
    password: Type.Optional(Type.String({ minLength: passwordMin, maxLength: passwordMax })),
    view_only: Type.Optional(Type.Boolean()),
    name: Type.Optional(Type.String({ maxLength: nameMax, pattern: oneLinePattern })),
  },
  "CreateShareRequest",
);
export type CreateShareRequest = Static<typeof CreateShareRequest>;

export const ShareLink = Type.Object(
  {
    id: Uuid,
    kind: Kind,
    target_id: Uuid,
    /** `token` and `url` are present only when the link is created. */
    token: Type.Optional(Type.String()),
    url: Type.Optional(Type.String()),
    token_prefix: Type.String(),
    name: Type.String(),
    status: Type.Enum(["active", "expired", "revoked"]),
    has_password: Type.Boolean(),
    view_only: Type.Boolean(),
    expires_at: Type.Optional(Timestamp),
    created_at: Timestamp,
    created_by: Uuid,
    access_count: Type.Integer(),
    last_accessed_at: Type.Optional(Timestamp),
    revoked_at: Type.Optional(Timestamp),
  },
  { title: "ShareLink" },
);
export type ShareLink = Static<typeof ShareLink>;

export const ShareList = Type.Object({ items: Type.Array(ShareLink) }, { title: "ShareList" });
export type ShareList = Static<typeof ShareList>;

/** Body of `POST /share/{token}`, as JSON or as a form. */
export const SharePassword = strict({ password: Type.Optional(Type.String()) }, "SharePassword");
export type SharePassword = Static<typeof SharePassword>;

/** The same as a form, to which a browser may add fields. */
export const SharePasswordForm = Type.Object({ password: Type.Optional(Type.String()) });

/** The target of a share link, as shown to people without an account. */
export const ShareResolution = Type.Object(
  {
    kind: Kind,
    name: Type.String(),
    mime_type: Type.String(),
    width: nullable(Type.Integer()),
    height: nullable(Type.Integer()),
    duration_seconds: nullable(Type.Number()),
    has_audio: nullable(Type.Boolean()),
    size_bytes: Type.Integer(),
    created_at: Timestamp,
    view_only: Type.Boolean(),
    expires_at: nullable(Timestamp),
    media_url: Type.String(),
    thumbnail_url: nullable(Type.String()),
    /** URL for a download; absent where the link only allows viewing. */
    download_url: Type.Optional(Type.String()),
  },
  { title: "ShareResolution" },
);
export type ShareResolution = Static<typeof ShareResolution>;
