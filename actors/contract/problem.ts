import { type Static, Type } from "../../config/schema.ts";

/** The problem object (RFC 9457) of every refused request. */
export const Problem = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    code: Type.Optional(Type.String()),
    detail: Type.Optional(Type.String()),
    instance: Type.Optional(Type.String()),
    job_id: Type.Optional(Type.String()),
    render_id: Type.Optional(Type.String()),
    request_id: Type.Optional(Type.String()),
    errors: Type.Optional(
      Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String() })),
    ),
  },
  { title: "Problem" },
);
export type Problem = Static<typeof Problem>;
