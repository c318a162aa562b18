import type { Route } from "./route.ts";
import { accountRoutes } from "./routes/account.ts";
import { adminRoutes } from "./routes/admin.ts";
import { assetRoutes } from "./routes/assets.ts";
import { generateRoutes } from "./routes/generate.ts";
import { healthRoutes } from "./routes/health.ts";
import { jobRoutes } from "./routes/jobs.ts";
import { modelRoutes } from "./routes/models.ts";
import { objectRoutes } from "./routes/objects.ts";
import { streamRoutes } from "./routes/streams.ts";

/** Every route of the service. */
export const routeTable: readonly Route[] = [
  ...generateRoutes,
  ...jobRoutes,
  ...streamRoutes,
  ...assetRoutes,
  ...modelRoutes,
  ...accountRoutes,
  ...adminRoutes,
  ...objectRoutes,
  ...healthRoutes,
];
