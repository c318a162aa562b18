import { overridden } from "./overrides.ts";

/** What each plan allows, as shipped. `undefined` means without limit. */
export const planNames = ["free", "starter", "pro", "studio", "team", "enterprise"] as const;
export type PlanName = (typeof planNames)[number];

export interface Plan {
  /** Simultaneous generations; 3D has a separate pool of the same size. */
  readonly concurrentMax: number;
  /** Credits granted at creation and on the 1st (UTC), when unused ones expire. */
  readonly monthlyCredits: number;
  /** Maximum accepted generations per UTC day. */
  readonly generationsPerDay: number | undefined;
  /** Maximum bytes of assets, files of compositions (equal ones count once) and renders. */
  readonly storedBytes: number | undefined;
  /** Organizations that an account may own; memberships are not counted. */
  readonly organizationsOwned: number;
}

const gibibyte = 1024 ** 3;

const shipped: { readonly plans: Readonly<Record<PlanName, Plan>> } = {
  plans: {
    free: {
      concurrentMax: 1,
      monthlyCredits: 100,
      generationsPerDay: 50,
      storedBytes: 5 * gibibyte,
      organizationsOwned: 1,
    },
    starter: {
      concurrentMax: 2,
      monthlyCredits: 1_000,
      generationsPerDay: 500,
      storedBytes: 50 * gibibyte,
      organizationsOwned: 3,
    },
    pro: {
      concurrentMax: 4,
      monthlyCredits: 4_000,
      generationsPerDay: 2_000,
      storedBytes: 250 * gibibyte,
      organizationsOwned: 10,
    },
    studio: {
      concurrentMax: 8,
      monthlyCredits: 12_000,
      generationsPerDay: 5_000,
      storedBytes: 1024 * gibibyte,
      organizationsOwned: 25,
    },
    team: {
      concurrentMax: 8,
      monthlyCredits: 20_000,
      generationsPerDay: 10_000,
      storedBytes: 2048 * gibibyte,
      organizationsOwned: 50,
    },
    enterprise: {
      concurrentMax: 8,
      monthlyCredits: 0,
      generationsPerDay: undefined,
      storedBytes: undefined,
      organizationsOwned: 100,
    },
  },
};

export const { plans } = overridden(shipped);

/** An operator's changes, up or down, to the plan of one account or organization. */
export interface PlanOverrides {
  readonly concurrentMax?: number;
  readonly generationsPerDay?: number;
  readonly storedBytes?: number;
}

export function getAllowance(plan: PlanName, overrides: PlanOverrides | undefined): Plan {
  return overrides === undefined ? plans[plan] : { ...plans[plan], ...overrides };
}
