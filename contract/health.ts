import { type Static, Type } from "../config/schema.ts";

export const Alive = Type.Object(
  { status: Type.Enum(["ok"]), version: Type.String() },
  { title: "Alive" },
);

const CheckState = Type.Enum(["ok", "degraded", "down"]);

export const Readiness = Type.Object(
  {
    status: CheckState,
    checks: Type.Object({
      store: CheckState,
      log: CheckState,
      objects: CheckState,
      workers: CheckState,
      renderers: CheckState,
    }),
    /** What keeps this node from taking part in the cluster, as sentences for the operator. */
    warnings: Type.Array(Type.String()),
  },
  { title: "Readiness" },
);
export type Readiness = Static<typeof Readiness>;
