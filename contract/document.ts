import { Type } from "../config/schema.ts";

export const RootLinks = Type.Object(
  {
    release: Type.String(),
    documentation: Type.String(),
    openapi: Type.String(),
    problems: Type.String(),
    models: Type.String(),
    health: Type.String(),
  },
  { title: "RootLinks" },
);

export const ProblemPage = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    statuses: Type.Array(Type.Integer()),
    meaning: Type.String(),
    remedy: Type.String(),
  },
  { title: "ProblemPage" },
);
