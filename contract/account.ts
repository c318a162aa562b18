import { planNames } from "../config/plans.ts";
import { type Static, Type } from "../config/schema.ts";
import { nullable, OneLine, StorageUse, strict, Timestamp, Uuid } from "./common.ts";
import { Role, UserOrganization } from "./organization.ts";

export const GenerationLimits = Type.Object(
  {
    concurrent_max: Type.Integer(),
    concurrent_active: Type.Integer(),
  },
  { title: "GenerationLimits" },
);

export const User = Type.Object(
  {
    id: Uuid,
    email: Type.String(),
    display_name: Type.String(),
    plan: Type.Enum([...planNames]),
    balance_credits: nullable(Type.Integer()),
    role: nullable(Role),
    active_organization: nullable(UserOrganization),
    generation_limits: nullable(GenerationLimits),
    quota: nullable(
      Type.Object({ limit: Type.Integer(), used: Type.Integer(), resets_at: Timestamp }),
    ),
    storage: StorageUse,
    token: Type.Object({
      id: Type.String(),
      name: Type.String(),
      scopes: Type.Array(Type.String()),
      expires_at: nullable(Timestamp),
    }),
    created_at: Timestamp,
  },
  { title: "User" },
);
export type User = Static<typeof User>;

export const Credits = Type.Object(
  {
    balance_credits: nullable(Type.Integer()),
    held_credits: Type.Integer(),
    plan: Type.Enum([...planNames]),
    monthly_credits: Type.Integer(),
    renews_at: Timestamp,
  },
  { title: "Credits" },
);

/** Body of `POST /admin/accounts`. */
export const CreateAccountRequest = strict(
  {
    email: Type.String({ minLength: 3, maxLength: 254, pattern: "^[^@\\s]+@[^@\\s]+$" }),
    display_name: Type.Optional(OneLine(200)),
    plan: Type.Optional(Type.Enum([...planNames])),
    credits: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 })),
    issue_token: Type.Optional(Type.Boolean()),
  },
  "CreateAccountRequest",
);
export type CreateAccountRequest = Static<typeof CreateAccountRequest>;

export const CreatedAccount = Type.Object(
  {
    id: Uuid,
    email: Type.String(),
    plan: Type.Enum([...planNames]),
    balance_credits: Type.Integer(),
    token: Type.Optional(Type.String()),
  },
  { title: "CreatedAccount" },
);
export type CreatedAccount = Static<typeof CreatedAccount>;

export const tokenScopes = [
  "generate",
  "jobs:read",
  "jobs:cancel",
  "assets:read",
  "assets:write",
  "compositions",
  "renders",
  "shares",
  "agents",
  "organizations",
  "billing:read",
  "tokens",
  "admin",
] as const;
export type TokenScope = (typeof tokenScopes)[number];
