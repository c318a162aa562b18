/** All views. The first is part of the page, the others are loaded when they are first shown. */
import { Create } from "./create/create.tsx";
import { lazy } from "./lazy.tsx";
import type { IconName } from "./parts/icon.tsx";
import type { ComponentType } from "./view.ts";

export interface View {
  /** First segment of the view's addresses. */
  readonly name: string;
  readonly title: string;
  readonly icon: IconName;
  readonly view: ComponentType;
}

export const customerViews: readonly View[] = [
  { name: "create", title: "Create", icon: "create", view: Create },
  {
    name: "jobs",
    title: "Jobs",
    icon: "jobs",
    view: lazy(async () => (await import("./jobs/jobs.tsx")).Jobs),
  },
  {
    name: "assets",
    title: "Assets",
    icon: "assets",
    view: lazy(async () => (await import("./assets/assets.tsx")).Assets),
  },
  {
    name: "compositions",
    title: "Compositions",
    icon: "compositions",
    view: lazy(async () => (await import("./compositions/compositions.tsx")).Compositions),
  },
  {
    name: "agents",
    title: "Agents",
    icon: "agents",
    view: lazy(async () => (await import("./agents/agents.tsx")).Agents),
  },
  {
    name: "account",
    title: "Account",
    icon: "account",
    view: lazy(async () => (await import("./account/account.tsx")).Account),
  },
];

export const operatorViews: readonly View[] = [
  {
    name: "operator",
    title: "Overview",
    icon: "overview",
    view: lazy(async () => (await import("./operator/overview.tsx")).Overview),
  },
  {
    name: "farm",
    title: "Farm",
    icon: "farm",
    view: lazy(async () => (await import("./operator/farm.tsx")).Farm),
  },
  {
    name: "failures",
    title: "Failures",
    icon: "failures",
    view: lazy(async () => (await import("./operator/failures.tsx")).Failures),
  },
  {
    name: "providers",
    title: "Providers",
    icon: "providers",
    view: lazy(async () => (await import("./operator/providers.tsx")).Providers),
  },
  {
    name: "nodes",
    title: "Nodes",
    icon: "nodes",
    view: lazy(async () => (await import("./operator/nodes.tsx")).Nodes),
  },
  {
    name: "accounts",
    title: "Accounts",
    icon: "people",
    view: lazy(async () => (await import("./operator/accounts.tsx")).Accounts),
  },
  {
    name: "audit",
    title: "Audit",
    icon: "audit",
    view: lazy(async () => (await import("./operator/audit.tsx")).Audit),
  },
];
