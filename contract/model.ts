import { publicModelFields } from "../config/catalogue.ts";
import { Type } from "../config/schema.ts";

export const Model = Type.Object(
  {
    ...publicModelFields,
    availability: Type.Enum(["up", "degraded", "down"]),
  },
  { title: "Model" },
);

export const ModelPage = Type.Object(
  {
    items: Type.Array(Model),
    version: Type.String(),
    updated_at: Type.String({ format: "date-time" }),
  },
  { title: "ModelPage" },
);
