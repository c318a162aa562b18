import { planNames } from "../config/plans.ts";
import { type Static, Type } from "../config/schema.ts";
import { nullable, OneLine, strict, Timestamp, Uuid } from "./common.ts";

export const roles = ["owner", "admin", "member", "viewer", "billing_contact"] as const;
export type Role = (typeof roles)[number];

export const budgetPeriods = ["month", "total"] as const;
export type BudgetPeriod = (typeof budgetPeriods)[number];

export const Role = Type.Enum([...roles]);

export const MemberBudget = Type.Object(
  {
    limit_credits: Type.Integer(),
    used_credits: Type.Integer(),
    period: Type.Enum([...budgetPeriods]),
    resets_at: nullable(Timestamp),
  },
  { title: "MemberBudget" },
);
export type MemberBudget = Static<typeof MemberBudget>;

/** The organization in which a credential acts, as part of `GET /me`. */
export const UserOrganization = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    slug: Type.String(),
    role: Role,
    plan: Type.Enum([...planNames]),
    balance_credits: nullable(Type.Integer()),
    member_budget: nullable(MemberBudget),
  },
  { title: "UserOrganization" },
);
export type UserOrganization = Static<typeof UserOrganization>;

export const Organization = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    slug: Type.String(),
    plan: Type.Enum([...planNames]),
    balance_credits: nullable(Type.Integer()),
    role: Role,
    created_at: Timestamp,
  },
  { title: "Organization" },
);
export type Organization = Static<typeof Organization>;

export const OrganizationList = Type.Object(
  { items: Type.Array(Organization) },
  { title: "OrganizationList" },
);

const Name = OneLine(100);
const Slug = Type.String({ minLength: 2, maxLength: 48, pattern: "^[a-z0-9]+(-[a-z0-9]+)*$" });

/** Body of `POST /organizations`. */
export const CreateOrganizationRequest = strict({ name: Name, slug: Type.Optional(Slug) });
export type CreateOrganizationRequest = Static<typeof CreateOrganizationRequest>;

/** Body of `PATCH /organizations/{id}`. */
export const PatchOrganizationRequest = strict({
  name: Type.Optional(Name),
  slug: Type.Optional(Slug),
});
export type PatchOrganizationRequest = Static<typeof PatchOrganizationRequest>;

export const Member = Type.Object(
  {
    user_id: Uuid,
    email: Type.String(),
    display_name: Type.String(),
    role: Role,
    budget: nullable(MemberBudget),
    created_at: Timestamp,
  },
  { title: "Member" },
);
export type Member = Static<typeof Member>;

export const MemberList = Type.Object({ items: Type.Array(Member) }, { title: "MemberList" });

export const AddMemberRequest = strict({
  email: Type.String({ minLength: 3, maxLength: 254, pattern: "^[^@\\s]+@[^@\\s]+$" }),
  role: Role,
});
export type AddMemberRequest = Static<typeof AddMemberRequest>;

export const ChangeMemberRequest = strict({ role: Role });
export type ChangeMemberRequest = Static<typeof ChangeMemberRequest>;

export const BudgetRequest = strict({
  limit_credits: Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 }),
  period: Type.Enum([...budgetPeriods]),
});
export type BudgetRequest = Static<typeof BudgetRequest>;

/** Body of `PUT /me/active-organization`. */
export const ActiveOrganizationRequest = strict({
  organization_id: Type.Union([Uuid, Type.Null()]),
});
export type ActiveOrganizationRequest = Static<typeof ActiveOrganizationRequest>;
