import { limits } from "../config/limits.ts";
import { type Static, Type } from "../config/schema.ts";
import { tokenScopes } from "./account.ts";
import { nullable, OneLine, strict, Timestamp, Uuid } from "./common.ts";

const Scope = Type.Enum([...tokenScopes]);

const fields = {
  id: Type.String(),
  name: Type.String(),
  prefix: Type.String(),
  scopes: Type.Array(Scope),
  organization_id: nullable(Uuid),
  created_at: Timestamp,
  expires_at: nullable(Timestamp),
  last_used_at: nullable(Timestamp),
};

export const Token = Type.Object(fields, { title: "Token" });
export type Token = Static<typeof Token>;

/** A new token; only this answer contains the token itself. */
export const CreatedToken = Type.Object(
  { ...fields, token: Type.String() },
  { title: "CreatedToken" },
);
export type CreatedToken = Static<typeof CreatedToken>;

export const TokenList = Type.Object({ items: Type.Array(Token) }, { title: "TokenList" });

const asked = {
  scopes: Type.Optional(Type.Array(Scope, { maxItems: tokenScopes.length, uniqueItems: true })),
  /** Days until expiry; null is for a token that never expires, where the operator allows it. */
  expires_in_days: Type.Optional(
    Type.Union([
      Type.Integer({ minimum: 1, maximum: limits.tokens.expiresInDaysMax }),
      Type.Null(),
    ]),
  ),
  organization_id: Type.Optional(Uuid),
};

/** Body of `POST /tokens`. */
export const CreateTokenRequest = strict({ name: OneLine(100), ...asked }, "CreateTokenRequest");
export type CreateTokenRequest = Static<typeof CreateTokenRequest>;

/** Body of `POST /admin/accounts/{id}/tokens`. */
export const IssueTokenRequest = strict({
  name: Type.Optional(OneLine(100)),
  ...asked,
});
export type IssueTokenRequest = Static<typeof IssueTokenRequest>;
