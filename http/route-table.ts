import type { Route } from "./route.ts";
import { accountRoutes } from "./routes/account.ts";
import { adminRoutes } from "./routes/admin.ts";
import { agentRoutes } from "./routes/agents.ts";
import { assetRoutes } from "./routes/assets.ts";
import { costRoutes } from "./routes/cost.ts";
import { documentRoutes } from "./routes/documents.ts";
import { generateRoutes } from "./routes/generate.ts";
import { healthRoutes } from "./routes/health.ts";
import { jobRoutes } from "./routes/jobs.ts";
import { modelRoutes } from "./routes/models.ts";
import { objectRoutes } from "./routes/objects.ts";
import { setRoutes } from "./routes/sets.ts";
import { streamRoutes } from "./routes/streams.ts";
import { uploadRoutes } from "./routes/uploads.ts";

/** Every route of the service. */
export const routeTable: readonly Route[] = [
  ...generateRoutes,
  ...costRoutes,
  ...setRoutes,
  ...jobRoutes,
  ...streamRoutes,
  ...assetRoutes,
  ...uploadRoutes,
  ...modelRoutes,
  ...accountRoutes,
  ...agentRoutes,
  ...adminRoutes,
  ...objectRoutes,
  ...healthRoutes,
  ...documentRoutes(() => routeTable),
];
