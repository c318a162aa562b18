import { type Static, Type } from "../config/schema.ts";
import { tokenScopes } from "./account.ts";
import { nullable, OneLine, strict, Timestamp, Uuid } from "./common.ts";

/** Authorization server metadata (RFC 8414). */
export const AuthorizationServer = Type.Object(
  {
    issuer: Type.String(),
    token_endpoint: Type.String(),
    revocation_endpoint: Type.String(),
    device_authorization_endpoint: Type.String(),
    response_types_supported: Type.Array(Type.String()),
    grant_types_supported: Type.Array(Type.String()),
    scopes_supported: Type.Array(Type.String()),
    token_endpoint_auth_methods_supported: Type.Array(Type.String()),
    revocation_endpoint_auth_methods_supported: Type.Array(Type.String()),
  },
  { title: "AuthorizationServer" },
);

const Text = Type.Optional(Type.String({ maxLength: 2_000 }));

/** Form of a token request; unknown fields are ignored (RFC 6749, section 3.2). */
export const TokenForm = Type.Object({
  grant_type: Text,
  scope: Text,
  client_id: Text,
  client_secret: Text,
  refresh_token: Text,
  device_code: Text,
});
export type TokenForm = Static<typeof TokenForm>;

export const RevokeForm = Type.Object({
  token: Text,
  token_type_hint: Text,
  client_id: Text,
  client_secret: Text,
});
export type RevokeForm = Static<typeof RevokeForm>;

export const DeviceForm = Type.Object({ client_id: Text, client_secret: Text, scope: Text });
export type DeviceForm = Static<typeof DeviceForm>;

export const AccessToken = Type.Object(
  {
    access_token: Type.String(),
    token_type: Type.Literal("Bearer"),
    expires_in: Type.Integer(),
    scope: Type.String(),
    refresh_token: Type.Optional(Type.String()),
  },
  { title: "AccessToken" },
);
export type AccessToken = Static<typeof AccessToken>;

/** Error answer of RFC 6749, section 5.2. */
export const OAuthError = Type.Object(
  { error: Type.String(), error_description: Type.Optional(Type.String()) },
  { title: "OAuthError" },
);

/** Device authorization answer of RFC 8628. */
export const DeviceAuthorization = Type.Object(
  {
    device_code: Type.String(),
    user_code: Type.String(),
    verification_uri: Type.String(),
    verification_uri_complete: Type.String(),
    expires_in: Type.Integer(),
    interval: Type.Integer(),
  },
  { title: "DeviceAuthorization" },
);
export type DeviceAuthorization = Static<typeof DeviceAuthorization>;

/** Body of `POST /oauth/device/approve`. */
export const ApproveRequest = strict({
  user_code: Type.String({ minLength: 8, maxLength: 32 }),
  approve: Type.Boolean(),
});
export type ApproveRequest = Static<typeof ApproveRequest>;

const fields = {
  client_id: Uuid,
  name: Type.String(),
  scopes: Type.Array(Type.Enum([...tokenScopes])),
  organization_id: nullable(Uuid),
  user_id: Uuid,
  created_at: Timestamp,
};

export const OAuthClient = Type.Object(fields, { title: "OAuthClient" });
export type OAuthClient = Static<typeof OAuthClient>;

/** A new client; only this answer contains the secret. */
export const CreatedClient = Type.Object(
  { ...fields, client_secret: Type.String() },
  { title: "CreatedClient" },
);

export const ClientList = Type.Object({ items: Type.Array(OAuthClient) }, { title: "ClientList" });

/** Body of `POST /oauth/clients`. */
export const CreateClientRequest = strict({
  name: OneLine(100),
  scopes: Type.Array(Type.Enum([...tokenScopes]), { minItems: 1, uniqueItems: true }),
});
export type CreateClientRequest = Static<typeof CreateClientRequest>;
